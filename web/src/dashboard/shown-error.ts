/** An error of an action of this page whose message says what the user should do. Other errors are bugs. */
export class ShownError extends Error {
  override readonly name: string = 'ShownError'
}
