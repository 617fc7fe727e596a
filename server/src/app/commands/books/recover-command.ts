import { readProgress } from '../../../chains/blocks/store.ts'
import { type Network, networks, utxoNetworkNames, utxoNetworkOf } from '../../../chains/networks.ts'
import { addressCodecOf } from '../../../chains/open-chain.ts'
import { plainXpub } from '../../../chains/utxo/account-key.ts'
import { required } from '../../../core/assert.ts'
import type { Secret } from '../../../core/settings.ts'
import { readNewestFingerprint } from '../../../payments/invoices/addresses/address-store.ts'
import {
  type LostWindow,
  possibleCount,
  recoverAddresses,
} from '../../../payments/invoices/addresses/recover-addresses.ts'
import { type Db, openDb } from '../../../platform/db/pool.ts'
import { listLostRecords } from '../../../recovery/lost-history/loss-store.ts'
import { readSecrets } from '../../keys/generated-secrets.ts'
import { refuseForeignEncryptionKey } from '../../keys/open-keys.ts'
import { addressMacKeys } from '../../keys/rotate-encryption.ts'
import { openLog } from '../../log.ts'
import { withDatabase } from '../../open-database.ts'
import { readUtxoXpub } from '../../open-utxo-nodes.ts'
import { type Config, networksOf, readConfig } from '../../settings/config.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { readWords } from '../read-words.ts'
import { recoverMissed } from './recover-missed.ts'

const usedRowsDefault = 5_000
const possibleRowsDefault = 20
/** Of one network; so many take about an hour. */
const possibleMax = 5_000_000

export const recoverCommand: Command = {
  usage: '--since TIME [--until TIME] [--addresses N] | --missed | --lost',
  help: [
    'A restored database does not know the addresses that customers were given after the backup was taken. This derives',
    'them again from the account xpubs, so that the blocks that the next start reads show what is paid to them: as',
    'unattributed money, which an operator assigns. Run it between "coffer restore" and the first start.',
    '',
    `Of each branch of addresses that was in use at the backup the next ${usedRowsDefault} are watched, and the first ${possibleRowsDefault} of each second`,
    'since, in which a start may have opened one. Where a start is known ("address branch opened" in the log), look closer:',
    '',
    '  coffer recover --since 2026-03-01T02:00:00Z',
    '  coffer recover --since 2026-03-01T03:11:00Z --until 2026-03-01T03:13:00Z --addresses 5000',
    '',
    'A day takes some minutes for each network. Run again, it adds what is missing.',
    '',
    'With --missed it books payments that the blocks of a lying or faulty node did not show. The watcher finds them by what',
    'addresses hold (alert "missed-payment", "coffer verify"). Each is read from its block, and booked at the price and in the time of',
    'that block, to the invoice of its address. What no transfer explains is told and not booked. Name a node that you trust first',
    'where the one you have left something out. It works beside a running Coffer and may be run again:',
    '',
    '  coffer recover --missed',
    '',
    'With --lost it changes nothing, and lists what a failover lost by the memory of the processes that acknowledged it: what was put',
    'back by itself, and what is named alone.',
  ],
  run,
}

async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  if (words.includes('--missed')) {
    readWords(words, { options: { missed: { type: 'boolean' } } })
    return recoverMissed(terminal)
  }
  if (words.includes('--lost')) return listLost(words, terminal)
  const window = readWindow(words)
  const config = readConfig(terminal.environment)
  const log = openLog(config.logLevel)
  return withDatabase(config, log, async (urls) => {
    const db = openDb({ url: urls.app, connections: 1, log })
    try {
      const keys = await recoverKeysOf(config)
      await refuseForeignEncryptionKey({ config, db }, keys)
      for (const network of await networksToRecover(config, db)) {
        const onProgress = (derived: number) => terminal.note(`· ${network.name}: ${derived} derived`)
        const { macKey } = addressMacKeys(keys)
        const parts = {
          db,
          codec: addressCodecOf(network),
          xpub: await xpubOf(config, network, keys.xpubEvm),
          macKey,
        }
        const { derived, added } = await recoverAddresses({ ...parts, onProgress }, window)
        terminal.print(
          `${network.name}: ${derived} addresses derived, ${added} of them are watched from now on.`,
        )
      }
      return await tellWhatWasRead(db, window, terminal)
    } finally {
      await db.close()
    }
  })
}

async function listLost(words: readonly string[], { environment, print, note }: Terminal): Promise<number> {
  readWords(words, { options: { lost: { type: 'boolean' } } })
  const config = readConfig(environment)
  const log = openLog(config.logLevel)
  return withDatabase(config, log, async (urls) => {
    const db = openDb({ url: urls.app, connections: 1, log })
    try {
      const records = await listLostRecords(db)
      for (const { committedAt, outcome, kind, id, merchantId, detail } of records)
        print(
          `${committedAt.toISOString()} ${outcome} ${kind} ${id} merchant ${merchantId ?? 'none'}: ${detail}`,
        )
      if (records.length === 0) note('No process has named anything that was lost.')
      return 0
    } finally {
      await db.close()
    }
  })
}

function readWindow(words: readonly string[]): LostWindow {
  const text = { type: 'string' } as const
  const { values } = readWords(words, { options: { since: text, until: text, addresses: text } })
  if (values.since === undefined)
    throw new UsageError(
      'say since when: --since, as "coffer restore" printed it; or --missed, for payments that were missed',
    )
  const since = readTime('--since', values.since)
  const until = values.until === undefined ? undefined : readTime('--until', values.until)
  if (since > (until ?? new Date()))
    throw new UsageError('--since must be before --until, and not in the future')
  const { addresses } = values
  if (addresses !== undefined && !/^[1-9]\d{0,5}$/.test(addresses))
    throw new UsageError('--addresses is a whole number from 1 to 999999')
  const rows = addresses === undefined ? undefined : Number(addresses)
  const window = {
    since,
    until,
    usedRows: rows ?? usedRowsDefault,
    possibleRows: rows ?? possibleRowsDefault,
  }
  if (possibleCount(window, new Date()) > possibleMax)
    throw new UsageError(
      `that is more than ${possibleMax} addresses of each network: say less time, or fewer with --addresses`,
    )
  return window
}

function readTime(option: string, text: string): Date {
  const time = new Date(text)
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(text) && !Number.isNaN(time.getTime())) return time
  throw new UsageError(`${option} is a time in UTC such as 2026-03-01T02:00:00Z`)
}

interface RecoverKeys {
  readonly encryptionKey: Secret
  readonly encryptionKeyPrevious: Secret | undefined
  readonly xpubEvm: string
}

async function recoverKeysOf(config: Config): Promise<RecoverKeys> {
  const generated = config.mode === 'sandbox' ? await readSecrets(config.dataDir) : undefined
  const encryptionKey = config.encryptionKey ?? generated?.encryptionKey
  const xpubEvm = config.xpubEvm ?? generated?.xpubEvm
  if (encryptionKey === undefined || xpubEvm === undefined)
    throw new Error('put back secrets.json, or set ENCRYPTION_KEY and XPUB_EVM, as they were')
  return { encryptionKey, encryptionKeyPrevious: config.encryptionKeyPrevious, xpubEvm }
}

/** Those that are followed by the settings, and those of which addresses were given out. */
async function networksToRecover(config: Config, db: Db): Promise<readonly Network[]> {
  const named: readonly string[] = networksOf(config)
  const found: Network[] = [networks.ethereum]
  for (const name of utxoNetworkNames) {
    if (!named.includes(name) && (await readNewestFingerprint(db, name)) === undefined) continue
    const kind = config.mode === 'production' ? 'main' : 'regtest'
    found.push(required(utxoNetworkOf(name, kind), `the network ${name}`))
  }
  return found
}

async function xpubOf(config: Config, network: Network, xpubEvm: string): Promise<string> {
  if (network.family === 'evm') return xpubEvm
  return plainXpub(await readUtxoXpub(config, network), network.chain)
}

/** Blocks that were read before are not read anew: what they paid to these addresses is not seen. */
async function tellWhatWasRead(db: Db, { since }: LostWindow, { note }: Terminal): Promise<number> {
  const seenAt = (secondsAgo: number) => Date.now() - secondsAgo * 1000
  const ahead = (await readProgress(db)).filter(
    ({ seenSecondsAgo }) => seenAt(seenSecondsAgo) > since.getTime() + slackMs,
  )
  for (const { network, height } of ahead)
    note(`${network} was read since, up to block ${height}: what came before that block is not looked for.`)
  if (ahead.length === 0) {
    note('The next start reads the blocks since; "coffer treasury unattributed" then lists what came.')
    return 0
  }
  note('To have that as well, restore the backup once more and run this before Coffer starts.')
  return 1
}

/** The clocks of the database and of whoever said since when may be so far apart. */
const slackMs = 60_000
