import { type SaxesAttributePlain, SaxesParser, type SaxesTagPlain } from 'saxes'
import { ListFormatError } from './list-format.ts'
import type { ListEntry } from './sanctions-list.ts'

/** How the features that hold addresses are named; what follows is the currency's code. */
const addressFeature = /^Digital Currency Address - (\S+)$/

/**
 * Reads OFAC's `sdn_advanced.xml` piece by piece: `FeatureType` elements say which numbers mean a currency's addresses,
 * `Feature` elements of these numbers hold them as `VersionDetail`, inside the `DistinctParty` whose they are. Codes
 * are taken as they come, new ones too. A document that is cut is no document: `end` throws.
 */
export class SdnReader {
  readonly #parser = new SaxesParser()
  readonly #entries: ListEntry[] = []
  /** Codes by the number of their feature type. */
  readonly #codes = new Map<string, string>()
  /** The text of the element that is open and of interest. */
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

  /** @throws ListFormatError */
  write(text: string): void {
    this.#parse(() => this.#parser.write(text))
  }

  /** @throws ListFormatError */
  end(): readonly ListEntry[] {
    this.#parse(() => this.#parser.close())
    if (this.#codes.size === 0)
      throw new ListFormatError('it declares no feature of digital currency addresses')
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
      throw new ListFormatError(`its root is <${name}>, where <Sanctions> was expected`)
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
