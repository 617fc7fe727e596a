const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
] as const

/** Formats a duration in the largest unit of which it has at least two: "54 s", "3 min", "30 h", "4 d". */
export function duration(seconds: number): string {
  const unit = units.find((one) => seconds >= 2 * one.seconds)
  return unit === undefined
    ? `${Math.round(seconds)} s`
    : `${Math.floor(seconds / unit.seconds)} ${unit.name}`
}
