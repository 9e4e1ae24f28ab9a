import { median } from "../requests/figures.ts";

/** The minimum or maximum of a figure. */
export interface Bound {
  readonly least?: number;
  readonly most?: number;
}

/** One figure of the table. */
export interface TableRow {
  /** The names of the section and of the row. */
  readonly row: string;
  readonly figure: string;
  readonly unit: "" | " ms" | " s";
  /** A figure without a bound is shown, and cannot fail. */
  readonly bound: Bound;
  readonly value: number;
  /** The minimum and maximum of the rounds. */
  readonly spread: readonly [least: number, most: number];
  /** The absolute figures of the ratio. */
  readonly detail: string;
}

/** A figure with a value for each round, of which the median counts. */
export function medianRow({
  rounds,
  ...row
}: Omit<TableRow, "value" | "spread"> & { readonly rounds: readonly number[] }): TableRow {
  return { ...row, value: median(rounds), spread: [Math.min(...rounds), Math.max(...rounds)] };
}

/** A figure that could not be computed misses its bound. */
function isHeld({ value, bound: { least = -Infinity, most = Infinity } }: TableRow): boolean {
  return value >= least && value <= most;
}

export function boundText({ bound: { least, most }, unit }: TableRow): string {
  if (least !== undefined) return `≥ ${least}${unit}`;
  return most === undefined ? "" : `≤ ${most}${unit}`;
}

export function valueText({ value, unit }: TableRow): string {
  return `${inDigits(value)}${unit}`;
}

export function spreadText({ spread: [least, most] }: TableRow): string {
  return `${inDigits(least)} … ${inDigits(most)}`;
}

export function verdictText(row: TableRow): "held" | "missed" | "" {
  if (row.bound.least === undefined && row.bound.most === undefined) return "";
  return isHeld(row) ? "held" : "missed";
}

function inDigits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
