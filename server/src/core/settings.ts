/**
 * Reads settings from environment variables. Each setting is declared once with its name, default and
 * meaning. All problems of the settings are reported together. The value of a secret setting cannot be
 * printed.
 */
import { inspect } from 'node:util'

/** A secret value. Logs, JSON, template strings and the inspector show "[secret]" in its place. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface Setting<T> {
  readonly name: string
  readonly meaning: string
  /**
   * Parses the text of the environment variable. Returns the value of the setting, or a problem: a text that
   * says what is wrong and which values are valid. `text` is undefined if the variable is unset or empty.
   */
  read(text: string | undefined): { value: T } | { problem: string }
}

export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The settings are invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

export function text<D extends string | undefined>(
  name: string,
  fallback: D,
  meaning: string,
): Setting<string | D> {
  return { name, meaning, read: (value) => ({ value: value ?? fallback }) }
}

export function secret(name: string, meaning: string): Setting<Secret | undefined> {
  return { name, meaning, read: (value) => ({ value: value === undefined ? undefined : new Secret(value) }) }
}

export function integer(
  name: string,
  fallback: number,
  range: { min: number; max: number },
  meaning: string,
): Setting<number> {
  const read = (value: string | undefined) => {
    if (value === undefined) return { value: fallback }
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    return number >= range.min && number <= range.max
      ? { value: number }
      : { problem: `${name} must be a whole number from ${range.min} to ${range.max}, not "${value}"` }
  }
  return { name, meaning, read }
}

/**
 * Declares a setting that is a positive number of seconds, such as "0.5". Its value is a JavaScript number,
 * so this function must not be used for amounts of money.
 */
export function seconds(name: string, fallback: number, meaning: string): Setting<number> {
  const read = (value: string | undefined) => {
    if (value === undefined) return { value: fallback }
    const number = /^\d{1,6}(\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN
    return number > 0
      ? { value: number }
      : { problem: `${name} must be a number of seconds above 0, not "${value}"` }
  }
  return { name, meaning, read }
}

export function flag<D extends boolean | undefined>(
  name: string,
  fallback: D,
  meaning: string,
): Setting<boolean | D> {
  const read = (value: string | undefined) => {
    if (value === undefined) return { value: fallback }
    if (value === 'true' || value === 'false') return { value: value === 'true' }
    return { problem: `${name} must be true or false, not "${value}"` }
  }
  return { name, meaning, read }
}

export function choice<const C extends readonly string[], D extends C[number] | undefined>(
  name: string,
  choices: C,
  fallback: D,
  meaning: string,
): Setting<C[number] | D> {
  const read = (value: string | undefined) => {
    if (value === undefined) return { value: fallback }
    const chosen = choices.find((one) => one === value)
    return chosen === undefined
      ? { problem: `${name} must be one of ${choices.join(', ')}, not "${value}"` }
      : { value: chosen }
  }
  return { name, meaning, read }
}

/** Declares a setting that is a comma-separated list. If the variable is unset, the list is empty. */
export function list(name: string, meaning: string): Setting<readonly string[]> {
  const read = (value: string | undefined) => ({
    value: (value ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  })
  return { name, meaning, read }
}

/** Declares a comma-separated list of port numbers. If the list is empty, the value is `fallback`. */
export function ports(
  name: string,
  fallback: readonly number[],
  meaning: string,
): Setting<readonly number[]> {
  const items = list(name, meaning)
  const read = (value: string | undefined) => {
    const result = items.read(value)
    if (!('value' in result)) return result
    const numbers = result.value.map((item) => (/^[1-9]\d{0,4}$/.test(item) ? Number(item) : Number.NaN))
    if (!numbers.every((number) => number <= 65_535))
      return { problem: `${name} must be ports from 1 to 65535, separated by commas, not "${value}"` }
    return { value: numbers.length === 0 ? fallback : numbers }
  }
  return { name, meaning, read }
}

/**
 * Adds a check to a setting. `problemOf` returns a problem text if the value is invalid. That text is
 * printed, so it must not contain a secret.
 */
export function ruled<T>(
  setting: Setting<T>,
  problemOf: (value: T, name: string) => string | undefined,
): Setting<T> {
  const read = (value: string | undefined) => {
    const result = setting.read(value)
    const problem = 'value' in result ? problemOf(result.value, setting.name) : undefined
    return problem === undefined ? result : { problem }
  }
  return { ...setting, read }
}

export type SettingsOf<S extends Record<string, Setting<unknown>>> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never
}

/** Reads all settings from the environment. @throws SettingsError with the problems of all settings */
export function readSettings<S extends Record<string, Setting<unknown>>>(
  settings: S,
  environment: Environment,
): SettingsOf<S> {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [key, setting] of Object.entries(settings)) {
    const raw = environment[setting.name]
    const result = setting.read(raw === '' ? undefined : raw)
    if ('problem' in result) problems.push(result.problem)
    else values[key] = result.value
  }
  if (problems.length > 0) throw new SettingsError(problems)
  return Object.freeze(values) as SettingsOf<S>
}
