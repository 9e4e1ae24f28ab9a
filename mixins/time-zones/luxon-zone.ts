import { FixedOffsetZone, Zone, type ZoneOffsetFormat, type ZoneOffsetOptions } from "luxon";
import { timeZoneName, timeZones } from "./time-zones.ts";
import { clockBetween, type ZoneRules } from "./zone-rules.ts";

/** A zone for luxon's DateTime with the rules of this process; undefined for an unknown name. */
export function luxonZone(name: string): Zone | undefined {
  const found = timeZoneName(name);
  if (found === "UTC") return FixedOffsetZone.utcInstance;
  const rules = found === undefined ? undefined : timeZones().rulesOf(found);
  return rules === undefined ? undefined : new RulesZone(name, rules);
}

class RulesZone extends Zone {
  readonly #name: string;
  readonly #rules: ZoneRules;

  constructor(name: string, rules: ZoneRules) {
    super();
    this.#name = name;
    this.#rules = rules;
  }

  override get type(): string {
    return "rules";
  }

  override get name(): string {
    return this.#name;
  }

  override get isUniversal(): boolean {
    return false;
  }

  override get isValid(): boolean {
    return true;
  }

  override offset(at: number): number {
    return clockBetween(this.#rules, at, at).first / 60_000;
  }

  override offsetName(at: number, options: ZoneOffsetOptions): string | null {
    return this.#fixed(at).offsetName(at, options);
  }

  override formatOffset(at: number, format: ZoneOffsetFormat): string {
    return this.#fixed(at).formatOffset(at, format);
  }

  override equals(other: Zone): boolean {
    return other instanceof RulesZone && other.name === this.name;
  }

  #fixed(at: number): FixedOffsetZone {
    return FixedOffsetZone.instance(this.offset(at));
  }
}
