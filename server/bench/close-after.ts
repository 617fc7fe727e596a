import { CloseStack } from '../src/app/close-stack.ts'

/** Does some work and closes what it opened, also when it fails or is interrupted. */
export async function closeAfter<T>(work: (opened: CloseStack) => Promise<T>): Promise<T> {
  const opened = new CloseStack()
  const close = () => opened.closeAll((name, error) => console.error(`closing ${name} failed:`, error))
  // PostgreSQL runs in a process group of its own, so Ctrl-C alone would leave it running.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => close().then(() => process.exit(1)))
  try {
    return await work(opened)
  } finally {
    await close()
  }
}
