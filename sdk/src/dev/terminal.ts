/** The output of the command: results on one stream, notes on the other. */
export interface Terminal {
  /** Prints one line of results, such as an event. */
  print(line: string): void
  /** Prints a note to the user, such as a warning. */
  note(line: string): void
  readonly hasColours: boolean
}

const codes = { green: 32, red: 31, yellow: 33, dim: 2, bold: 1 } as const

export type Colour = keyof typeof codes

export function coloured({ hasColours }: Terminal, colour: Colour, text: string): string {
  return hasColours ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text
}

/**
 * Removes control characters from text that a server or receiver sent, so that it cannot control the
 * terminal. Limits the length of the text.
 */
export function plain(text: string): string {
  return text
    .slice(0, 300)
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim()
}
