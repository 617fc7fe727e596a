import { required } from '../../../core/assert.ts'
import { limits } from '../../../core/limits.ts'
import { formatDecimal } from '../../../core/money.ts'
import { readDealings } from '../../../oversight/reports/listed-dealings-store.ts'
import { findList, findListed } from '../../../payments/screening/list-store.ts'
import { loadList, unloadList } from '../../../payments/screening/load-list.ts'
import { openSource } from '../../../payments/screening/open-source.ts'
import { canonicalize } from '../../../payments/screening/sanctions-list.ts'
import { addressFamilies } from '../../screening.ts'
import { readConfig } from '../../settings/config.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type CommandContext, withMethods } from '../operator-context.ts'
import { readWords } from '../read-words.ts'

const options = { force: { type: 'boolean' } } as const

export const sanctionsCommand: Command = {
  usage: 'load <file> [--force] | refresh [--force] | status | check <address> | report | unload',
  help: [
    'Senders of deposits and destinations of withdrawals are checked against a list of addresses: OFAC’s sdn_advanced.xml,',
    'or a plain file with one address a line and comments after #. A list is loaded completely or not at all.',
    '',
    '  coffer sanctions load <file>       activates the list in a file or at an https URL',
    '  coffer sanctions refresh           reads SANCTIONS_FILE now; a running Coffer does so every 6 hours',
    '  coffer sanctions status            the active list, its source and its age',
    '  coffer sanctions check <address>   whether the list names an address, in any form; exit code 1 if so',
    '  coffer sanctions report            dealings with addresses that are listed now, including those before the listing',
    '  coffer sanctions unload            deactivates the list: nothing is screened by it until another is loaded',
    '',
    'A list without addresses, or with fewer than half as many as before, is rejected unless --force is given. A list that',
    'was not updated for 48 hours is stale: withdrawals wait and deposits are held until it is updated. For a file, the time',
    'of its last modification counts, so that an outdated copy does not count as current.',
  ],
  run: async (words, terminal) => {
    const { values, positionals } = readWords(words, { options, positionals: 2 })
    const [verb, subject] = positionals
    const act = actOf(verb, subject, values.force ?? false, terminal)
    return withMethods(terminal, (context) => act(context, terminal))
  },
}

type Act = (context: CommandContext, terminal: Terminal) => Promise<number>

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
  throw new UsageError('expected load <file>, refresh, status, check <address>, report or unload')
}

async function load(
  location: string,
  isForced: boolean,
  { db }: CommandContext,
  terminal: Terminal,
): Promise<number> {
  const source = await openSource(location, new AbortController().signal)
  const { isNew, addressCount, countBefore } = await loadList(
    { db, families: addressFamilies },
    source,
    isForced,
  )
  terminal.print(
    isNew
      ? `Active: ${addressCount} addresses from ${source.name}; ${countBefore} before.`
      : `Unchanged: ${addressCount} addresses from ${source.name}.`,
  )
  return 0
}

async function unload({ db }: CommandContext, { print, environment }: Terminal): Promise<number> {
  const wasLoaded = await unloadList({ db })
  print(wasLoaded ? 'The list is deactivated.' : 'No list was active.')
  if (readConfig(environment).sanctionsFile !== undefined) {
    print('SANCTIONS_FILE is set: everybody counts as unknown until a running Coffer has read it again.')
  }
  return 0
}

async function status({ db }: CommandContext, { print, environment }: Terminal): Promise<number> {
  const list = await findList(db)
  const { sanctionsFile, screening } = readConfig(environment)
  if (screening === 'off') print('SCREENING is off: nobody is screened.')
  if (list === undefined) {
    print(sanctionsFile === undefined ? 'No list is active.' : `${sanctionsFile} has not been read yet.`)
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

/** Maximum number of lines that the command prints, because nobody reads more. */
const reportedRows = 10_000

async function report({ db, methods }: CommandContext, { print, note }: Terminal): Promise<number> {
  const dealings = await readDealings(db, reportedRows)
  if (dealings.length === 0) note('There were no dealings with addresses that are listed now.')
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

async function check(address: string, { db }: CommandContext, { print }: Terminal): Promise<number> {
  const canonical = canonicalize(addressFamilies, address)
  const [found] = await findListed(db, [canonical])
  if (found === undefined) {
    print(`${canonical} is not on the list.`)
    return 0
  }
  const parties = found.parties.length === 0 ? '' : `, of party ${found.parties.join(', ')}`
  print(`LISTED  ${canonical} (${found.codes.join(', ')})${parties}, since ${found.listedAt.toISOString()}`)
  return 1
}
