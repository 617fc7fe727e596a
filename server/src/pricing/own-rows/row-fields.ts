/** Reads the fields of a row one by one and collects what is wrong with each. */
import { readEvmAddress } from '../../chains/evm-address.ts'
import { parseDecimal } from '../../core/money.ts'

/** What is wrong with one field of a row, and what to do. `detail` continues the sentence that `field` begins. */
export interface FieldProblem {
  readonly field: string
  readonly detail: string
}

/** The longest amount in digits; 2^256 has 78. */
const digitsMax = 77
const titlePattern = /^[\p{L}\p{N}][\p{L}\p{N} .()+-]{0,39}$/u

/** Reads fields of one JSON object. A field that is wrong is read as an empty value, and its problem is kept. */
export class RowFields {
  readonly #fields: Readonly<Record<string, unknown>>
  readonly #before: string
  readonly problems: FieldProblem[]

  constructor(value: unknown, before = '', problems: FieldProblem[] = []) {
    this.#fields = isObject(value) ? value : {}
    this.#before = before
    this.problems = problems
  }

  /** Returns the fields of an object inside this one. */
  inside(name: string): RowFields {
    const value = this.#fields[name]
    if (!isObject(value)) this.refuse(name, 'must be an object')
    return new RowFields(value, `${this.#before}${name}.`, this.problems)
  }

  refuse(name: string, detail: string): void {
    this.problems.push({ field: `${this.#before}${name}`, detail })
  }

  /** Refuses fields that no row has, because a mistyped name would leave its field at a default. */
  allowOnly(names: readonly string[]): void {
    for (const name of Object.keys(this.#fields))
      if (!names.includes(name)) this.refuse(name, `is not a field: the fields are ${names.join(', ')}`)
  }

  text(name: string, pattern: RegExp, rule: string): string {
    const value = this.#fields[name]
    if (typeof value === 'string' && pattern.test(value)) return value
    this.refuse(name, rule)
    return ''
  }

  /** Reads a name that people read. Only letters, digits and a few signs are allowed, so none can mislead. */
  title(name: string): string {
    return this.text(name, titlePattern, 'must have 1 to 40 letters, digits and spaces')
  }

  whole(name: string, min: number, max: number): number {
    const value = this.#fields[name]
    if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max)
      return value as number
    this.refuse(name, `must be a whole number from ${min} to ${max}`)
    return min
  }

  flag(name: string): boolean {
    const value = this.#fields[name]
    if (typeof value === 'boolean') return value
    this.refuse(name, 'must be true or false')
    return false
  }

  choice<T extends string>(name: string, choices: readonly T[]): T {
    const found = choices.find((one) => one === this.#fields[name])
    if (found === undefined) this.refuse(name, `must be ${choices.join(', ')}`)
    return found ?? (choices[0] as T)
  }

  /** Reads an amount in units of the asset and returns its text. */
  amount(name: string, decimals: number, unit: string): string {
    const value = this.#fields[name]
    const isShort = typeof value === 'string' && value.length <= digitsMax
    if (isShort && parseDecimal(value, decimals) !== undefined) return value
    this.refuse(
      name,
      `must be an amount of ${unit} as text, such as "0.5", with at most ${decimals} decimals`,
    )
    return '0'
  }

  list(name: string, lengthMax: number): readonly unknown[] {
    const value = this.#fields[name]
    if (Array.isArray(value) && value.length <= lengthMax) return value
    this.refuse(name, `must be a list of at most ${lengthMax}`)
    return []
  }

  /** Reads the address of a contract or account and returns it in canonical form. */
  address(name: string, meaning: string): string {
    const value = this.#fields[name]
    const read = readEvmAddress(typeof value === 'string' ? value : '')
    if ('address' in read) return read.address
    this.refuse(name, `is not the address of ${meaning}: it ${read.error}`)
    return ''
  }

  url(name: string): string {
    const value = this.#fields[name]
    if (typeof value === 'string' && isPublicUrl(value)) return value
    this.refuse(name, 'must be a URL that starts with https:// and has no user, password or query')
    return ''
  }

  isAbsent(name: string): boolean {
    return this.#fields[name] === undefined || this.#fields[name] === null
  }
}

/** Payers see these URLs. A query often holds a key, and so does a user. */
function isPublicUrl(text: string): boolean {
  if (text.length > 200 || !URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return protocol === 'https:' && username + password + search + hash === ''
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
