import { openChain, openSender } from '../../chains/open-chain.ts'
import type { Log } from '../../core/log.ts'
import { openDb } from '../../db/pool.ts'
import type { ComparedChain } from '../../verify/invariant.ts'
import type { VerifyReport } from '../../verify/report.ts'
import { verify } from '../../verify/verify.ts'
import { type Config, readConfig } from '../config.ts'
import { openLog } from '../log.ts'
import { readMethods } from '../open-chains.ts'
import { withDatabase } from '../open-database.ts'
import { findRunningNode } from '../running-node.ts'
import type { Command, Terminal } from './command.ts'
import { readWords } from './read-words.ts'

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'prove the books: every money invariant, exit 1 when one is broken',
  usage: '',
  help: [
    'Checks every invariant of the ledger, the invoices and the chain, and prints a line for each.',
    'Works beside a running Coffer and on one that is stopped; it writes nothing. With the chain running, credits are',
    'also compared with what the chain itself says, by another path than the one they were found by.',
  ],
  run: async (words, terminal) => {
    readWords(words)
    const config = readConfig(terminal.environment)
    const { ok } = await verifyBooks(config, openLog(config.logLevel), terminal)
    terminal.print(
      ok ? 'The books are right.' : 'The books are NOT right. Stop payouts and look at the lines above.',
    )
    return ok ? 0 : 1
  },
}

/** Checks every invariant beside a running Coffer or on one that is stopped, and prints a line for each. */
export function verifyBooks(
  config: Config,
  log: Log,
  { print, note }: Pick<Terminal, 'print' | 'note'>,
): Promise<VerifyReport> {
  return withDatabase(config, log, async (urls, isRunning) => {
    const chain = isRunning ? await openVerifyChain(config, log) : undefined
    if (chain === undefined) note('The chain is not running: checking the database alone.')
    try {
      return await check({ config, url: urls.app, chain, log, print })
    } finally {
      await Promise.all([chain?.reader.close(), chain?.sender.close()])
    }
  })
}

async function check(parts: {
  config: Config
  url: string
  chain: ComparedChain | undefined
  log: Log
  print(line: string): void
}): Promise<VerifyReport> {
  const { config, url, chain, log, print } = parts
  const db = openDb({ url, connections: 2, log })
  try {
    const methods = await readMethods(config, db)
    return await verify({ db, methods, report: print, chains: chain === undefined ? [] : [chain] })
  } finally {
    await db.close()
  }
}

/** @throws Error where no node of the chain answers, or one of another chain does */
async function openVerifyChain(config: Config, log: Log) {
  const signal = AbortSignal.timeout(10_000)
  const nodes = { ...(await findRunningNode(config, signal)), log }
  const reader = openChain(nodes)
  if (config.mode === 'production') await reader.checkIdentity(signal)
  return { reader, sender: openSender(nodes) }
}
