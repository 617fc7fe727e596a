import type { ReplyOf } from 'coffer-sdk'

export type Overview = ReplyOf<'getOverview'>

export const ranges: readonly number[] = [7, 30, 90]
export const usualDays = 30

export interface OverviewSearch {
  readonly days?: number
}

/** Reads the number of days to show from the parameters of a URL. */
export function readOverviewSearch({ days }: Readonly<Record<string, unknown>>): OverviewSearch {
  const range = ranges.find((one) => one === Number(days))
  return range === undefined || range === usualDays ? {} : { days: range }
}
