/**
 * The command `coffer recover`: watches the addresses that a restored database has lost, books missed
 * payments, and lists the records that a failover lost.
 */
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
/** Maximum number of addresses to derive for one network. Deriving this many takes about an hour. */
const possibleMax = 5_000_000

export const recoverCommand: Command = {
  usage: '--since TIME [--until TIME] [--addresses N] | --missed | --lost',
  help: [
    'A restored database does not know the addresses that customers were given after the backup was taken. This command',
    'derives them again from the account xpubs, so that the next start finds payments to them in the blocks it reads: as',
    'unattributed money, which an operator assigns. Run it between "coffer restore" and the first start.',
    '',
    `It watches the next ${usedRowsDefault} addresses of each branch that was in use at the backup, and for each second since, in which a`,
    `start may have opened a branch, the first ${possibleRowsDefault}. If a start is known ("address branch opened" in the log), search more closely:`,
    '',
    '  coffer recover --since 2026-03-01T02:00:00Z',
    '  coffer recover --since 2026-03-01T03:11:00Z --until 2026-03-01T03:13:00Z --addresses 5000',
    '',
    'A day takes some minutes for each network. Another run adds the addresses that are still missing.',
    '',
    'With --missed it books payments that the blocks of a dishonest or faulty node did not show. The watcher finds them by the',
    'balances of addresses (alert "missed-payment", "coffer verify"). Each is read from its block, and booked at the price and time of',
    'that block, to the invoice of its address. An amount that no transfer explains is reported and not booked. If your node omitted',
    'transfers, configure a node that you trust first. It works while Coffer is running and may be run again:',
    '',
    '  coffer recover --missed',
    '',
    'With --lost it changes nothing, and lists the records that a failover lost, as remembered by the processes that acknowledged them:',
    'those that were restored automatically, and those that are only listed.',
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
        terminal.print(`${network.name}: ${derived} addresses derived, ${added} of them newly watched.`)
      }
      return await reportRecovery(db, window, terminal)
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
      if (records.length === 0) note('No process has reported a lost record.')
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
      'expected --since with the time that "coffer restore" printed, or --missed for payments that were missed',
    )
  const since = readTime('--since', values.since)
  const until = values.until === undefined ? undefined : readTime('--until', values.until)
  if (since > (until ?? new Date()))
    throw new UsageError('--since must be before --until, and not in the future')
  const { addresses } = values
  if (addresses !== undefined && !/^[1-9]\d{0,5}$/.test(addresses))
    throw new UsageError('--addresses must be a whole number from 1 to 999999')
  const rows = addresses === undefined ? undefined : Number(addresses)
  const window = {
    since,
    until,
    usedRows: rows ?? usedRowsDefault,
    possibleRows: rows ?? possibleRowsDefault,
  }
  if (possibleCount(window, new Date()) > possibleMax)
    throw new UsageError(
      `that is more than ${possibleMax} addresses for each network: give a shorter time, or fewer --addresses`,
    )
  return window
}

function readTime(option: string, text: string): Date {
  const time = new Date(text)
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(text) && !Number.isNaN(time.getTime())) return time
  throw new UsageError(`${option} must be a time in UTC such as 2026-03-01T02:00:00Z`)
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
    throw new Error('restore secrets.json, or set ENCRYPTION_KEY and XPUB_EVM to the former values')
  return { encryptionKey, encryptionKeyPrevious: config.encryptionKeyPrevious, xpubEvm }
}

/** Returns the networks in the settings, and other networks for which addresses were given out. */
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

/**
 * Reports the networks whose blocks Coffer has read since the database lost data. Coffer does not read those
 * blocks again, so it does not see payments in them to addresses that were lost.
 */
async function reportRecovery(db: Db, { since }: LostWindow, { note }: Terminal): Promise<number> {
  const seenAt = (secondsAgo: number) => Date.now() - secondsAgo * 1000
  const ahead = (await readProgress(db)).filter(
    ({ seenSecondsAgo }) => seenAt(seenSecondsAgo) > since.getTime() + slackMs,
  )
  for (const { network, height } of ahead)
    note(`${network} was read since, up to block ${height}: payments up to that block will not be found.`)
  if (ahead.length === 0) {
    note('The next start reads the blocks since; "coffer treasury unattributed" then lists the payments.')
    return 0
  }
  note('To find those too, restore the backup again and run this command before Coffer starts.')
  return 1
}

/**
 * The largest expected difference between the database's clock and the clock that gave the time `--since`.
 */
const slackMs = 60_000
