/** Closes all opened parts in reverse order, each part once, even if opening stopped half-way. */
export class CloseStack {
  readonly #closers: { readonly name: string; readonly close: () => Promise<unknown> | unknown }[] = []
  #closing: Promise<void> | undefined

  add(name: string, close: () => Promise<unknown> | unknown): void {
    this.#closers.push({ name, close })
  }

  /**
   * Closes all parts. If a part fails to close, its error is reported and the others are closed all the same.
   */
  closeAll(onError: (name: string, error: unknown) => void): Promise<void> {
    this.#closing ??= this.#closeAll(onError)
    return this.#closing
  }

  async #closeAll(onError: (name: string, error: unknown) => void): Promise<void> {
    for (const { name, close } of this.#closers.reverse()) {
      try {
        await close()
      } catch (error) {
        onError(name, error)
      }
    }
  }
}
