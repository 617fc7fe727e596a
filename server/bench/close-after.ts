import { CloseStack } from '../src/app/close-stack.ts'

/** Runs `work` and closes the resources that it opened, even if it fails or the process is interrupted. */
export async function closeAfter<T>(work: (opened: CloseStack) => Promise<T>): Promise<T> {
  const opened = new CloseStack()
  const close = () => opened.closeAll((name, error) => console.error(`closing ${name} failed:`, error))
  // PostgreSQL runs in a separate process group, so Ctrl-C alone does not stop it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => close().then(() => process.exit(1)))
  try {
    return await work(opened)
  } finally {
    await close()
  }
}
