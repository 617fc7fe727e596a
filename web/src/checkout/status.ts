/** What the server says a page shows now; every text and number in it is made there. */
export interface Status {
  readonly version: string
  readonly phase: string
  readonly title: string
  readonly announcement: string
  /** HTML of the server's own, with every foreign text in it escaped. */
  readonly card: string
  readonly endsInS: number | null
}
