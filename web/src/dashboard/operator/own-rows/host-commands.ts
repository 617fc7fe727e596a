/** Builds the commands that do the same as the dialogs, for operators who keep their key away from browsers. */

/** Options in the order in which the command shows them. An empty value and `false` leave an option out. */
type Options = readonly (readonly [option: string, value: string | boolean])[]

export function networkCommand(name: string, options: Options): string {
  return commandOf(['networks', 'add', name], options)
}

export function tokenCommand(network: string, contract: string, options: Options): string {
  return commandOf(['tokens', 'add', network, contract], options)
}

function commandOf(words: readonly string[], options: Options): string {
  const given = options.flatMap(([option, value]) => {
    if (value === true) return [`--${option}`]
    return value === false || value === '' ? [] : [`--${option}`, quoted(value)]
  })
  return ['coffer', ...words.map(quoted), ...given].join(' ')
}

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
