import { PolicyError } from '../authorization/read-policy.ts'
import { KeystoreError } from '../keys/keystore.ts'
import { SignerSetupError } from '../keys/private-file.ts'
import { SignLogError } from '../log/chained-log.ts'
import { runKeys } from './keys-command.ts'
import { printLift } from './lift-command.ts'
import { acceptLoss } from './loss-command.ts'
import { runSigner } from './signer-command.ts'
import { keysUsage, signerUsage, type Usage } from './usage.ts'
import { type SignerTerminal, WordsError } from './words.ts'

const commands: readonly (Usage & { run: typeof runSigner })[] = [
  { ...signerUsage, run: runSignerVerb },
  { ...keysUsage, run: runKeys },
]

/** Runs `coffer signer lift` or `accept-loss`. Without such a verb, runs the signer until it is stopped. */
function runSignerVerb(words: readonly string[], terminal: SignerTerminal): Promise<number> {
  const [verb, ...rest] = words
  if (verb === 'lift') return printLift(rest, terminal)
  if (verb === 'accept-loss') return acceptLoss(rest, terminal)
  return runSigner(words, terminal)
}

/** Runs `coffer signer` or `coffer keys` and returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runSignerCli(words: readonly string[], terminal: SignerTerminal): Promise<number> {
  const [name, ...rest] = words
  const command = commands.find((one) => one.name === name)
  if (command === undefined) {
    terminal.note('coffer: this process runs only "coffer signer" and "coffer keys"')
    return 2
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    for (const line of [`coffer ${command.name} ${command.usage}`, '', ...command.help]) terminal.print(line)
    return 0
  }
  try {
    return await command.run(rest, terminal)
  } catch (error) {
    terminal.note(`coffer ${command.name}: ${messageOf(error)}`)
    if (!(error instanceof WordsError)) return 1
    terminal.note(`Usage: coffer ${command.name} ${command.usage}`)
    return 2
  }
}

/**
 * Returns the message to print for an error. An error of one of Coffer's own classes is printed as it is. For
 * other errors, the error's code precedes the message.
 */
function messageOf(error: unknown): string {
  const known = [WordsError, SignerSetupError, KeystoreError, SignLogError, PolicyError]
  if (known.some((one) => error instanceof one)) return (error as Error).message
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined ? message : `${code}: ${message}`
}
