import { distance } from "../model/move-event.js";
import { saveMove } from "./move-entry.js";

/** @import { Entry } from "../model/types.ts" */
/** @import { App } from "../state.js" */

/** A pointer that moves less than this many pixels is a click. */
const THRESHOLD_PX = 5;

/**
 * Follows the pointer over the days of the view, which have `data-date`; those of the week have a time scale, too. A finger scrolls
 * the page instead: with touch an entry is moved in its form.
 * @param {App} app
 * @param {Entry} entry
 * @param {{ date: string, minutes: number }} from The place of the entry's part that is dragged.
 * @param {PointerEvent} down
 */
export function beginDrag(app, entry, from, down) {
  if (down.button !== 0 || down.pointerType === "touch") return;
  const grabbed = placeAt(down);
  let isDragged = false;
  const end = (/** @type {boolean} */ isDropped) => {
    for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name, listener);
    // Without a drag nothing is rendered: the click, which comes next, needs the button.
    if (!isDragged) return;
    app.store.update({ isDragging: false });
    // The click that ends a drag shall not open the event.
    document.addEventListener("click", stop, { capture: true, once: true });
    setTimeout(() => document.removeEventListener("click", stop, { capture: true }));
    if (isDropped) void saveMove(app);
    else app.store.update({ move: undefined });
  };
  const listeners = {
    pointermove(/** @type {Event} */ event) {
      const pointer = /** @type {PointerEvent} */ (event);
      const far = Math.hypot(pointer.clientX - down.clientX, pointer.clientY - down.clientY) > THRESHOLD_PX;
      isDragged ||= far;
      const over = placeAt(pointer);
      if (!isDragged || over === undefined) return;
      // The entry keeps its distance from the pointer; a day without a time scale, such as that of a month, keeps the time.
      const hasTimes = over.minutes !== undefined && grabbed?.minutes !== undefined;
      const by = distance(
        { date: grabbed?.date ?? from.date, minutes: grabbed?.minutes ?? 0 },
        { date: over.date, minutes: hasTimes ? (over.minutes ?? 0) : (grabbed?.minutes ?? 0) },
      );
      app.store.update({ isDragging: true, move: { entry, ...by } });
    },
    pointerup: () => end(true),
    pointercancel: () => end(false),
    keydown(/** @type {Event} */ event) {
      if (/** @type {KeyboardEvent} */ (event).key === "Escape") end(false);
    },
  };
  for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener);
}

/** @param {Event} event */
function stop(event) {
  event.stopPropagation();
  event.preventDefault();
}

/**
 * The date, and in a day with a time scale the minutes from midnight, under the pointer.
 * @param {PointerEvent} pointer
 * @returns {{ date: string, minutes: number | undefined } | undefined}
 */
function placeAt({ clientX, clientY }) {
  const day = document
    .elementsFromPoint(clientX, clientY)
    .map((node) => node.closest("[data-date]"))
    .find((node) => node !== null);
  const date = day?.getAttribute("data-date");
  if (day === undefined || day === null || date === null || date === undefined) return undefined;
  if (!day.hasAttribute("data-time-scale")) return { date, minutes: undefined };
  const { top, height } = day.getBoundingClientRect();
  return { date, minutes: ((clientY - top) / height) * 1440 };
}
