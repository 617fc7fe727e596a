/**
 * Returns the time of the host's monotonic clock in milliseconds. All processes of the host share this clock,
 * so their times can be compared.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
