/** The current content of the page. The server formats every text and number in it. */
export interface Status {
  readonly version: string
  readonly phase: string
  readonly title: string
  readonly announcement: string
  /** HTML from the server, in which all external text is escaped. */
  readonly card: string
  readonly endsInS: number | null
}
