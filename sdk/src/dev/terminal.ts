/** What people see: event lines on one stream, notes about the work on the other. */
export interface Terminal {
  /** A result: one line. */
  print(line: string): void
  /** A note for whoever watches. */
  note(line: string): void
  readonly hasColours: boolean
}

const codes = { green: 32, red: 31, yellow: 33, dim: 2, bold: 1 } as const

export type Colour = keyof typeof codes

export function coloured({ hasColours }: Terminal, colour: Colour, text: string): string {
  return hasColours ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text
}

/** Text from elsewhere without what would steer a terminal, on one line and not longer than a few. */
export function plain(text: string): string {
  return text
    .slice(0, 300)
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim()
}
