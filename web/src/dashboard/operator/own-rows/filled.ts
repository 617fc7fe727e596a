/** Returns the texts that are not empty, without spaces around them. */
export function filled<K extends string>(texts: Readonly<Record<K, string>>): { [Name in K]?: string } {
  const entries = Object.entries<string>(texts).map(([name, text]) => [name, text.trim()] as const)
  return Object.fromEntries(entries.filter(([, text]) => text !== '')) as { [Name in K]?: string }
}
