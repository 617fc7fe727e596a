/** The command `coffer verify`, and its parts that `coffer demo` uses too. */
import { openChain, openSender } from '../../../chains/open-chain.ts'
import type { Log } from '../../../core/log.ts'
import { SignerClient } from '../../../outgoing/engine/signer-client/signer-client.ts'
import type { ComparedChain } from '../../../oversight/verify/invariant.ts'
import type { Progress } from '../../../oversight/verify/progress.ts'
import type { VerifyReport } from '../../../oversight/verify/report.ts'
import { cancelStatements } from '../../../oversight/verify/run-scans.ts'
import { type VerifyParts, verify } from '../../../oversight/verify/verify.ts'
import { type Db, openDb } from '../../../platform/db/pool.ts'
import { type Attestation, SignerAwayError } from '../../../signing/signer-port.ts'
import { withBooksKeyIfThere } from '../../keys/open-books-key.ts'
import { openLog } from '../../log.ts'
import { readMethods } from '../../open-chains.ts'
import { withDatabase } from '../../open-database.ts'
import { findRunningNodes } from '../../open-evm-nodes.ts'
import { utxoNodesOf, withRunningNodes } from '../../open-utxo-nodes.ts'
import { readOwnNodes } from '../../own-rows/read-own-rows.ts'
import { type Config, readConfig } from '../../settings/config.ts'
import type { Command, Terminal } from '../command.ts'
import { readWords } from '../read-words.ts'

export const verifyCommand: Command = {
  usage: '[--since-last]',
  help: [
    'Checks every invariant of the ledger, the invoices and the chain, and prints a line for each.',
    'Works while Coffer is running and while it is stopped. If the chain is running, credits are also compared with the',
    'chain, by other calls than those that found them. If there are no findings, the seal up to which the books were',
    'proven is recorded.',
    '',
    '  --since-last   checks what changed since that seal, and whatever is cheap to check. It does not find older rows that',
    '                 were altered by hand: run the full check too, and monitor coffer_books_proven_seconds_ago.',
  ],
  run: async (words, terminal) => {
    const { values } = readWords(words, { options: { 'since-last': { type: 'boolean' } } })
    const config = readConfig(terminal.environment)
    const reach = values['since-last'] === true ? 'since last' : 'all'
    const report = await verifyBooks(config, openLog(config.logLevel), terminal, reach)
    terminal.print(verdictOf(report))
    return report.ok ? 0 : 1
  },
}

function verdictOf({ ok, since }: VerifyReport): string {
  if (!ok) return 'The books are NOT correct. Stop payouts and examine the findings above.'
  if (since === undefined) return 'The books are correct.'
  return `The changes since ${since.toISOString()} are correct. What was proven before was not checked again.`
}

/** Checks every invariant and prints a line for each. Coffer may be running or stopped. */
export function verifyBooks(
  config: Config,
  log: Log,
  { print, note }: Pick<Terminal, 'print' | 'note'>,
  reach: VerifyParts['reach'] = 'all',
): Promise<VerifyReport> {
  return withDatabase(config, log, async (urls, isRunning) => {
    return withVerifyChains({ config, log, isRunning, url: urls.app }, (chains) => {
      if (chains.length === 0) note('The chain is not running: checking the database only.')
      return check({ config, url: urls.app, chains, log, print, note, reach })
    })
  })
}

/**
 * Opens the chains with which the books are compared, runs `work`, and closes the chains again. If Coffer is
 * certainly not running (`isRunning` is false), `work` gets an empty list, because a sandbox's own chains run
 * only while Coffer runs.
 */
async function withVerifyChains<T>(
  { isRunning, ...parts }: VerifyChainParts & { readonly isRunning: boolean },
  work: (chains: readonly ComparedChain[]) => Promise<T>,
): Promise<T> {
  const opened = isRunning ? await openVerifyChains(parts) : []
  try {
    return await work(opened.map(({ chain }) => chain))
  } finally {
    await Promise.all(opened.map(({ close }) => close()))
  }
}

async function check(parts: {
  config: Config
  url: string
  chains: readonly ComparedChain[]
  log: Log
  print(line: string): void
  note(line: string): void
  reach: VerifyParts['reach']
}): Promise<VerifyReport> {
  const { config, url, chains, log, print, note, reach = 'all' } = parts
  const name = `coffer verify ${process.pid}`
  const bare = openDb({ url, connections: 3, log, name })
  const stopped = cancelWhenStopped(bare, name)
  try {
    const db = await withBooksKeyIfThere(config, bare)
    const methods = await readMethods(config, db)
    const attested = await askSigner(config)
    const { signal } = stopped
    return await verify({
      db,
      methods,
      report: print,
      chains,
      attested,
      reach,
      signal,
      progress: noted(note),
    })
  } finally {
    stopped.end()
    await bare.close()
  }
}

/**
 * Cancels running statements of the database after Ctrl-C. A statement whose result nobody awaits could
 * otherwise continue and block other statements.
 */
function cancelWhenStopped(db: Db, name: string): { readonly signal: AbortSignal; end(): void } {
  const stop = new AbortController()
  const onSignal = () => {
    stop.abort(new Error('verify was stopped'))
    cancelStatements(db, name).catch(() => process.exit(130))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal)
  const end = () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, onSignal)
  }
  return { signal: stop.signal, end }
}

/** The minimum interval between two lines of progress. */
const progressMs = 5_000

function noted(note: (line: string) => void): (progress: Progress) => void {
  let lastMs = performance.now()
  return ({ share, leftMs }) => {
    if (performance.now() - lastMs < progressMs) return
    lastMs = performance.now()
    note(`${Math.floor(share * 100)} % checked, about ${Math.ceil(leftMs / 1000)} s left`)
  }
}

/**
 * Returns the signer's attestation. Returns undefined if the signer's socket is not configured, as on the
 * host of the API, or if the signer does not answer.
 */
async function askSigner({ signerSocket }: Config): Promise<Attestation | undefined> {
  if (signerSocket === undefined) return undefined
  const client = new SignerClient(signerSocket)
  try {
    return await client.attest()
  } catch (error) {
    if (error instanceof SignerAwayError) return undefined
    throw error
  } finally {
    await client.close()
  }
}

interface VerifyChainParts {
  readonly config: Config
  readonly log: Log
  /** The URL of the database, which has the operator's own networks. */
  readonly url: string
}

async function ownNodesAt(config: Config, url: string, log: Log) {
  const db = openDb({ url, connections: 1, log })
  try {
    return await readOwnNodes(config, db)
  } finally {
    await db.close()
  }
}

interface OpenedChain {
  readonly chain: ComparedChain
  close(): Promise<unknown>
}

/**
 * Opens the configured chains.
 * @throws Error if no node of a chain answers, or if a node belongs to another chain
 */
async function openVerifyChains({ config, log, url }: VerifyChainParts): Promise<readonly OpenedChain[]> {
  const signal = AbortSignal.timeout(10_000)
  const shipped = await findRunningNodes(config, signal)
  const accounts = [...shipped, ...(await ownNodesAt(config, url, log))].map((node): OpenedChain => {
    const reader = openChain({ ...node, log })
    const sender = openSender({ ...node, log })
    return { chain: { reader, sender }, close: () => Promise.all([reader.close(), sender.close()]) }
  })
  const coins = utxoNodesOf(await withRunningNodes(config)).map((node): OpenedChain => {
    const own = openChain({ ...node, log })
    return { chain: { reader: own, sender: undefined }, close: () => own.close() }
  })
  const opened = [...accounts, ...coins]
  if (config.mode === 'production') for (const { chain } of opened) await chain.reader.checkIdentity(signal)
  return opened
}
