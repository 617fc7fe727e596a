import { type SaxesAttributePlain, SaxesParser, type SaxesTagPlain } from 'saxes'
import { ListFormatError } from './list-format.ts'
import type { ListEntry } from './sanctions-list.ts'

/** Matches the name of a feature type that contains addresses. The capture group is the currency code. */
const addressFeature = /^Digital Currency Address - (\S+)$/

/**
 * Reads OFAC's `sdn_advanced.xml` in chunks. A `FeatureType` element defines an id for the addresses of one
 * currency. A `Feature` element with this id contains an address as `VersionDetail`. The `Feature` element is
 * inside the `DistinctParty` that owns the address. Unknown currency codes are accepted. If the document is
 * cut off, `end` throws.
 */
export class SdnReader {
  readonly #parser = new SaxesParser()
  readonly #entries: ListEntry[] = []
  /** Currency codes by the id of their feature type. */
  readonly #codes = new Map<string, string>()
  /** The text of the open element; undefined if that text is not needed. */
  #text: string | undefined
  #typeId: string | undefined
  #party: string | undefined
  #code: string | undefined
  #isInside = false

  constructor() {
    this.#parser.on('opentag', (tag) => this.#open(tag))
    this.#parser.on('closetag', ({ name }) => this.#close(localName(name)))
    this.#parser.on('text', (text) => this.#add(text))
    this.#parser.on('cdata', (text) => this.#add(text))
  }

  /** @throws ListFormatError if the text is not XML of a sanctions list */
  write(text: string): void {
    this.#parse(() => this.#parser.write(text))
  }

  /** @throws ListFormatError if the document was cut off, or declares no addresses */
  end(): readonly ListEntry[] {
    this.#parse(() => this.#parser.close())
    if (this.#codes.size === 0)
      throw new ListFormatError('it declares no feature type for digital currency addresses')
    return this.#entries
  }

  #parse(step: () => unknown): void {
    try {
      step()
    } catch (error) {
      if (error instanceof ListFormatError) throw error
      throw new ListFormatError(`it is not well-formed XML: ${messageOf(error)}`)
    }
  }

  #open({ name, attributes }: SaxesTagPlain): void {
    const local = localName(name)
    if (!this.#isInside && local !== 'Sanctions') {
      throw new ListFormatError(`its root element is <${name}>, but <Sanctions> was expected`)
    }
    this.#isInside = true
    if (local === 'FeatureType') {
      this.#typeId = attributes['ID']
      this.#text = ''
    } else if (local === 'DistinctParty') this.#party = attributes['FixedRef']
    else if (local === 'Feature') this.#code = this.#codeOf(attributes)
    else if (local === 'VersionDetail' && this.#code !== undefined) this.#text = ''
  }

  #codeOf(attributes: Readonly<Record<string, SaxesAttributePlain | string>>): string | undefined {
    return this.#codes.get(String(attributes['FeatureTypeID'] ?? ''))
  }

  #add(text: string): void {
    if (this.#text !== undefined) this.#text += text
  }

  #close(local: string): void {
    if (local === 'FeatureType') this.#learnType()
    else if (local === 'VersionDetail') this.#takeAddress()
    else if (local === 'Feature') this.#code = undefined
    else if (local === 'DistinctParty') this.#party = undefined
  }

  #learnType(): void {
    const [, code] = addressFeature.exec(this.#text?.trim() ?? '') ?? []
    if (code !== undefined && this.#typeId !== undefined) this.#codes.set(this.#typeId, code)
    this.#text = undefined
  }

  #takeAddress(): void {
    const address = this.#text?.trim() ?? ''
    if (this.#code !== undefined && address !== '') {
      this.#entries.push({ address, code: this.#code, party: this.#party })
    }
    this.#text = undefined
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
