import { required } from '../../../core/assert.ts'
import { limits } from '../../../core/limits.ts'
import { formatDecimal } from '../../../core/money.ts'
import { readDealings } from '../../../oversight/reports/listed-dealings-store.ts'
import { findList, findListed } from '../../../payments/screening/list-store.ts'
import { loadList, unloadList } from '../../../payments/screening/load-list.ts'
import { openSource } from '../../../payments/screening/open-source.ts'
import { spell } from '../../../payments/screening/sanctions-list.ts'
import { addressFamilies } from '../../screening.ts'
import { readConfig } from '../../settings/config.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type Desk, withMethods } from '../operator-desk.ts'
import { readWords } from '../read-words.ts'

const options = { force: { type: 'boolean' } } as const

export const sanctionsCommand: Command = {
  usage: 'load <file> [--force] | refresh [--force] | status | check <address> | report | unload',
  help: [
    'Senders of deposits and destinations of withdrawals are held against a list of addresses: OFAC’s sdn_advanced.xml,',
    'or a plain file with one address a line and remarks after #. It is taken whole or not at all.',
    '',
    '  coffer sanctions load <file>       puts the list in a file, or at an https URL, in force',
    '  coffer sanctions refresh           reads SANCTIONS_FILE now; a running Coffer does so every 6 hours',
    '  coffer sanctions status            what is in force, from where, and how old it is',
    '  coffer sanctions check <address>   whether the list names an address, however it is spelled; exit code 1 if so',
    '  coffer sanctions report            who dealt with addresses that are listed now, also before they were',
    '  coffer sanctions unload            ends the list: nothing is screened by it until the next is loaded',
    '',
    'A list that names no address, or fewer than half of those before, is refused unless --force is given. A list that',
    'was not renewed for 48 hours is stale: withdrawals wait and deposits are held until it is. Of a file counts when it',
    'was last written, so that a copy nobody renews does not pass for the newest.',
  ],
  run: async (words, terminal) => {
    const { values, positionals } = readWords(words, { options, positionals: 2 })
    const [verb, subject] = positionals
    const act = actOf(verb, subject, values.force ?? false, terminal)
    return withMethods(terminal, (desk) => act(desk, terminal))
  },
}

type Act = (desk: Desk, terminal: Terminal) => Promise<number>

function actOf(
  verb: string | undefined,
  subject: string | undefined,
  isForced: boolean,
  { environment }: Terminal,
): Act {
  if (verb === 'load' && subject !== undefined) return (...at) => load(subject, isForced, ...at)
  if (verb === 'check' && subject !== undefined) return (...at) => check(subject, ...at)
  if (subject === undefined && verb === 'status') return status
  if (subject === undefined && verb === 'report') return report
  if (subject === undefined && verb === 'unload') return unload
  if (subject === undefined && verb === 'refresh') {
    const { sanctionsFile } = readConfig(environment)
    if (sanctionsFile === undefined) throw new UsageError('SANCTIONS_FILE is not set; "load" takes a file')
    return (...at) => load(sanctionsFile, isForced, ...at)
  }
  throw new UsageError('say load <file>, refresh, status, check <address>, report or unload')
}

async function load(place: string, isForced: boolean, { db }: Desk, terminal: Terminal): Promise<number> {
  const source = await openSource(place, new AbortController().signal)
  const { isNew, addressCount, countBefore } = await loadList(
    { db, families: addressFamilies },
    source,
    isForced,
  )
  terminal.print(
    isNew
      ? `In force: ${addressCount} addresses from ${source.name}; there were ${countBefore} before.`
      : `Unchanged: ${addressCount} addresses from ${source.name}.`,
  )
  return 0
}

async function unload({ db }: Desk, { print, environment }: Terminal): Promise<number> {
  const wasLoaded = await unloadList({ db })
  print(wasLoaded ? 'No list is in force any more.' : 'No list was in force.')
  if (readConfig(environment).sanctionsFile !== undefined) {
    print('SANCTIONS_FILE is set: everybody is unknown until a running Coffer has read it again.')
  }
  return 0
}

async function status({ db }: Desk, { print, environment }: Terminal): Promise<number> {
  const list = await findList(db)
  const { sanctionsFile, screening } = readConfig(environment)
  if (screening === 'off') print('SCREENING is off: nobody is screened.')
  if (list === undefined) {
    print(sanctionsFile === undefined ? 'No list is in force.' : `${sanctionsFile} was not read yet.`)
    return sanctionsFile === undefined ? 0 : 1
  }
  const isStale = list.ageS > limits.sanctionsListAgeS
  print(`source     ${list.source}`)
  print(`addresses  ${list.addressCount}`)
  print(`sha256     ${list.sha256.toString('hex')}`)
  print(`loaded     ${list.loadedAt.toISOString()}`)
  print(`read       ${list.readAt.toISOString()}`)
  print(
    `fresh as of ${list.freshAt.toISOString()}${isStale ? '  STALE: withdrawals wait, deposits are held' : ''}`,
  )
  return isStale ? 1 : 0
}

/** More than anybody reads. */
const reportedRows = 10_000

async function report({ db, methods }: Desk, { print, note }: Terminal): Promise<number> {
  const dealings = await readDealings(db, reportedRows)
  if (dealings.length === 0) note('Nobody dealt with an address that is listed now.')
  for (const one of dealings) {
    const method = required(methods.byId(one.paymentMethodId), 'the method of a dealing')
    const amount = `${formatDecimal(one.amountMinor, method.decimals)} ${method.symbol}`
    const when = `${one.at.toISOString()}  ${one.at < one.listedAt ? 'before it was listed' : 'LISTED THEN'}`
    print(
      `${one.merchantId ?? 'nobody'.padEnd(36)}  ${one.type.padEnd(10)}  ${one.id}  ${when}  ${amount}  ${one.state}  ${one.address}`,
    )
  }
  return 0
}

async function check(address: string, { db }: Desk, { print }: Terminal): Promise<number> {
  const spelling = spell(addressFamilies, address)
  const [found] = await findListed(db, [spelling])
  if (found === undefined) {
    print(`${spelling} is not on the list.`)
    return 0
  }
  const parties = found.parties.length === 0 ? '' : `, of party ${found.parties.join(', ')}`
  print(`LISTED  ${spelling} (${found.codes.join(', ')})${parties}, since ${found.listedAt.toISOString()}`)
  return 1
}
