"""Reads iCalendar bodies with dateutil and libical, and writes them again with icalendar and libical.

Each line of the input is a JSON object with `text`, `from` and `until` (Unix milliseconds). Each line of the output has, for the
same body, the starts of its occurrences in the window by each library, and the body as each library writes it. A start is
["instant", milliseconds], or ["date", milliseconds of its midnight as if it were UTC]. The starts are null if the library refuses
the rule.
"""

import json
import sys
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import gi
import icalendar
from dateutil.rrule import rrulestr

gi.require_version("ICalGLib", "3.0")
from gi.repository import ICalGLib  # noqa: E402

EPOCH = datetime(1970, 1, 1)
MAX_DATES = 20_000


class Refused(Exception):
    """The library does not support the rule, and says so."""


def unless_refused(read_starts, *arguments):
    try:
        return read_starts(*arguments)
    except Refused:
        return None


def wall_ms(wall):
    return round((wall - EPOCH) / timedelta(milliseconds=1))


# dateutil, on the wall clock; zoneinfo converts with the rules of this machine.


def zone_of(prop):
    name = prop.params.get("TZID")
    return ZoneInfo(str(name)) if name else timezone.utc


def values_of(component, name):
    found = component.get(name)
    properties = found if isinstance(found, list) else [] if found is None else [found]
    return [(each.dt, prop) for prop in properties for each in prop.dts]


def instant_of(value, zone):
    """A value of the same kind as DTSTART, as [kind, milliseconds]."""
    if not isinstance(value, datetime):
        return ("date", wall_ms(datetime(value.year, value.month, value.day)))
    if value.tzinfo is not None and value.utcoffset() == timedelta(0) and zone is timezone.utc:
        return ("instant", round(value.timestamp() * 1000))
    return ("instant", round(value.replace(tzinfo=zone).timestamp() * 1000))


def dateutil_starts(text, window):
    events = [event for event in icalendar.Calendar.from_ical(text).walk("VEVENT")]
    moved = {}
    for event in events:
        if "RECURRENCE-ID" in event:
            named, start = event["RECURRENCE-ID"], event["DTSTART"]
            key = (str(event["UID"]), instant_of(named.dt, zone_of(named)))
            moved[key] = instant_of(start.dt, zone_of(start))
    starts = []
    for event in events:
        if "RECURRENCE-ID" in event:
            continue
        dates = list(rule_dates(event, window))
        excluded = {instant_of(value, zone_of(prop)) for value, prop in values_of(event, "EXDATE")}
        starts += [moved.get((str(event["UID"]), each), each) for each in dates if each not in excluded]
    return sorted(set(starts), key=lambda start: start[1])


def rule_dates(event, window):
    start = event["DTSTART"]
    zone = zone_of(start)
    if "RRULE" not in event:
        yield instant_of(start.dt, zone)
        return
    is_date = not isinstance(start.dt, datetime)
    first = datetime(start.dt.year, start.dt.month, start.dt.day) if is_date else start.dt.replace(tzinfo=None)
    rule = event["RRULE"]
    if rule is None:
        raise Refused("icalendar cannot read the rule")
    # dateutil compares UNTIL with the wall clock, and RFC 5545 with the instant.
    until = rule.pop("UNTIL", [None])[0]
    for count, wall in enumerate(rrulestr(rule.to_ical().decode(), dtstart=first)):
        value = wall.date() if is_date else wall
        at = instant_of(value, zone)
        if until is not None and at > instant_of(until, timezone.utc):
            return
        if wall_ms(wall) > window["until"] + 2 * 86_400_000 or count > MAX_DATES:
            return
        yield at


# libical, in the zones of the VTIMEZONEs.


def libical_zone(prop, root):
    parameter = prop.get_first_parameter(ICalGLib.ParameterKind.TZID_PARAMETER)
    if parameter is None:
        return ICalGLib.Timezone.get_utc_timezone()
    zone = root.get_timezone(parameter.get_tzid())
    if zone is None:
        raise ValueError("no VTIMEZONE of " + parameter.get_tzid())
    return zone


def libical_instant(time, zone):
    if time.is_date():
        return ("date", wall_ms(datetime(time.get_year(), time.get_month(), time.get_day())))
    return ("instant", 1000 * time.as_timet_with_zone(zone))


def properties_of(event, kind):
    prop = event.get_first_property(kind)
    while prop is not None:
        yield prop
        prop = event.get_next_property(kind)


def events_of(root):
    event = root.get_first_component(ICalGLib.ComponentKind.VEVENT_COMPONENT)
    while event is not None:
        yield event
        event = root.get_next_component(ICalGLib.ComponentKind.VEVENT_COMPONENT)


def libical_starts(root, window):
    kind = ICalGLib.PropertyKind
    events = list(events_of(root))
    moved = {}
    masters = []
    for event in events:
        start = event.get_first_property(kind.DTSTART_PROPERTY)
        at = libical_instant(start.get_dtstart(), libical_zone(start, root))
        named = event.get_first_property(kind.RECURRENCEID_PROPERTY)
        if named is None:
            masters.append((event, start))
        else:
            moved[(event.get_uid(), libical_instant(named.get_recurrenceid(), libical_zone(named, root)))] = at
    starts = []
    for event, start in masters:
        zone = libical_zone(start, root)
        excluded = {
            libical_instant(prop.get_exdate(), libical_zone(prop, root))
            for prop in properties_of(event, kind.EXDATE_PROPERTY)
        }
        dates = libical_dates(event, start, zone, window)
        starts += [moved.get((event.get_uid(), each), each) for each in dates if each not in excluded]
    return sorted(set(starts), key=lambda start: start[1])


def libical_dates(event, start, zone, window):
    first = start.get_dtstart()
    rule = event.get_first_property(ICalGLib.PropertyKind.RRULE_PROPERTY)
    if rule is None:
        yield libical_instant(first, zone)
        return
    if not first.is_date():
        first.set_timezone(zone)
    try:
        iterator = ICalGLib.RecurIterator.new(rule.get_rrule(), first)
    except TypeError as error:
        raise Refused from error
    for _ in range(MAX_DATES):
        time = iterator.next()
        if time is None or time.is_null_time():
            return
        at = libical_instant(time, zone)
        if at[1] > window["until"] + 2 * 86_400_000:
            return
        yield at


def read(line):
    body = json.loads(line)
    text = body["text"]
    root = ICalGLib.Component.new_from_string(text)
    return {
        "dateutil": unless_refused(dateutil_starts, text, body),
        "libical": unless_refused(libical_starts, root, body),
        "written": {
            "icalendar": icalendar.Calendar.from_ical(text).to_ical().decode(),
            "libical": root.as_ical_string(),
        },
    }


for each in sys.stdin:
    print(json.dumps(read(each)), flush=True)
