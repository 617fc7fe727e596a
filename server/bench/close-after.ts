import { CloseStack } from '../src/app/close-stack.ts'

/** Does some work and closes what it opened, also when it fails or is interrupted. */
export async function closeAfter<T>(work: (opened: CloseStack) => Promise<T>): Promise<T> {
  const opened = new CloseStack()
  const close = () => opened.closeAll((name, error) => console.error(`${name} did not close well:`, error))
  // PostgreSQL runs in a process group of its own: Ctrl-C would leave it behind.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => close().then(() => process.exit(1)))
  try {
    return await work(opened)
  } finally {
    await close()
  }
}
