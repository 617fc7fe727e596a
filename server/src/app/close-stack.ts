/** What was opened is closed in reverse order, each once, also when opening stopped half-way. */
export class CloseStack {
  readonly #closers: { readonly name: string; readonly close: () => Promise<unknown> | unknown }[] = []
  #closing: Promise<void> | undefined

  add(name: string, close: () => Promise<unknown> | unknown): void {
    this.#closers.push({ name, close })
  }

  /** A part that fails to close does not keep the others open; its fault is reported. */
  closeAll(onFault: (name: string, error: unknown) => void): Promise<void> {
    this.#closing ??= this.#closeAll(onFault)
    return this.#closing
  }

  async #closeAll(onFault: (name: string, error: unknown) => void): Promise<void> {
    for (const { name, close } of this.#closers.reverse()) {
      try {
        await close()
      } catch (error) {
        onFault(name, error)
      }
    }
  }
}
