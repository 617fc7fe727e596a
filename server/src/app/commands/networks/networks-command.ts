import { allEvmNetworks } from '../../../chains/networks.ts'
import { addNetwork, changeNodes } from '../../../pricing/own-rows/add-own-row.ts'
import type { FieldProblem } from '../../../pricing/own-rows/row-fields.ts'
import { stateOf } from '../../../pricing/own-rows/signed-rows.ts'
import { operatorKeyFileOf, prepareOperatorKey } from '../../keys/open-operator-keys.ts'
import { areFit, askingTimeoutMs, askNodes, type WantedNetwork } from '../../own-rows/ask-chain.ts'
import {
  gweiProblems,
  legacyProblems,
  type NetworkInput,
  networkDraft,
} from '../../own-rows/network-draft.ts'
import { networkPolicyLines } from '../../own-rows/policy-lines.ts'
import { readRowsAsTheyAre } from '../../own-rows/read-own-rows.ts'
import { readConfig } from '../../settings/config.ts'
import { urlProblem } from '../../settings/setting-rules.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type BooksContext, withBooks } from '../operator-context.ts'
import { readWords } from '../read-words.ts'
import { askYes } from './ask-yes.ts'
import {
  openNetworkRules,
  openSigning,
  printEntryMin,
  printFindings,
  printRefused,
  requireNoStop,
  turn,
} from './own-rows-context.ts'

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const

const networkOptions = {
  rpc: string,
  title: string,
  'chain-id': string,
  coin: string,
  'coin-name': string,
  explorer: string,
  'explorer-name': string,
  'wallet-rpc': string,
  confirmations: string,
  minimum: string,
  'deposit-max': string,
  'max-fee': string,
  'min-tip': string,
  'max-tip': string,
  'fee-model': string,
  'cold-address': string,
  'gas-budget': string,
  'typical-fee': string,
  mirror: string,
  stable: boolean,
  creditable: boolean,
  yes: boolean,
} as const

type NetworkValues = {
  readonly [Name in keyof typeof networkOptions]?: (typeof networkOptions)[Name] extends typeof boolean
    ? boolean | undefined
    : string | undefined
}

export const networksCommand: Command = {
  usage:
    'list | key | check --rpc URL | add NAME --rpc URL --title T --chain-id N --coin C --explorer URL [options] | nodes NAME --rpc URL | disable NAME | enable NAME',
  help: [
    'EVM networks that this installation adds to those of Coffer. A running Coffer takes a new network without a restart.',
    '',
    '  coffer networks list                      all networks, and which entries are refused',
    '  coffer networks key                       creates the key that signs your entries, and prints its public key',
    '  coffer networks check --rpc URL[,URL]     asks the nodes what they are and can do; changes nothing',
    '  coffer networks add scroll --rpc URL[,URL] --title Scroll --chain-id 534352 --coin ETH --explorer https://scrollscan.com',
    '  coffer networks nodes scroll --rpc URL[,URL]   replaces the nodes; restart all processes afterwards',
    '  coffer networks disable scroll            new invoices do not offer it; money on its way is still credited and swept',
    '  coffer networks enable scroll',
    '',
    'Options of add, with their defaults: --coin-name (the symbol) --explorer-name (the host) --wallet-rpc URL (none; payers’',
    'wallets see it, so it must hold no key) --confirmations 20,60,240 --minimum 0.0005 --deposit-max 1000000 --stable --creditable',
    '--max-fee 500 --min-tip 0.001 --max-tip 20 (in gwei) --fee-model (as found) --cold-address A (none) --gas-budget (500 times --minimum)',
    'On a network without base fees (legacy), --max-fee is required and --max-tip must be left out.',
    '--typical-fee 0.01 (USD) --mirror A[,A] (contracts that present the coin as a token) --yes (asks nothing).',
    '',
    'add asks each node first, shows what it answered, and asks for a yes. The URLs of nodes are stored encrypted. Your key',
    '(OPERATOR_KEY_FILE) signs the entry; processes use it only if OPERATOR_PUBLIC_KEYS has the public key. The signer has a',
    'policy of its own: add prints the lines that it needs. See docs/networks.md.',
  ],
  run: async (words, terminal) => {
    const { values, positionals } = readWords(words, { options: networkOptions, positionals: 2 })
    const [verb, name] = positionals
    if (verb === 'key' && name === undefined) return printKey(terminal)
    if (verb === 'check' && name === undefined) return check(urlsOf(values), values, terminal)
    if (verb === 'list' && name === undefined)
      return withBooks(terminal, (context) => list(context, terminal))
    if (name === undefined)
      throw new UsageError('expected list, key, check, or add, nodes, disable or enable with a name')
    if (verb === 'add') {
      urlsOf(values)
      return withBooks(terminal, (context) => add(context, name, values, terminal))
    }
    if (verb === 'nodes') {
      urlsOf(values)
      return withBooks(terminal, (context) => replaceNodes(context, name, values, terminal))
    }
    if (verb !== 'disable' && verb !== 'enable') throw new UsageError(`unknown: ${verb}`)
    const state = { kind: 'network', name, isEnabled: verb === 'enable' } as const
    return withBooks(terminal, (context) => turn(context, state, terminal))
  },
}

async function printKey(terminal: Terminal): Promise<number> {
  const config = readConfig(terminal.environment)
  terminal.print(await prepareOperatorKey(config))
  terminal.note(
    `The private key is in ${operatorKeyFileOf(config)}. Set OPERATOR_PUBLIC_KEYS to the line above for every process, and keep the file where no process runs.`,
  )
  return 0
}

function urlsOf({ rpc }: NetworkValues): readonly string[] {
  const urls = (rpc ?? '').split(',').filter((url) => url !== '')
  if (urls.length === 0) throw new UsageError('--rpc is required: the URLs of nodes, comma-separated')
  const problem = urls.map((url) => urlProblem(url, '--rpc')).find((one) => one !== undefined)
  if (problem !== undefined) throw new UsageError(problem)
  return urls
}

async function ask(urls: readonly string[], wanted: WantedNetwork, terminal: Terminal) {
  const asked = await askNodes(urls, wanted, AbortSignal.timeout(askingTimeoutMs))
  printFindings(asked.answers, terminal)
  return asked
}

function wantedId(values: NetworkValues): number | undefined {
  const text = values['chain-id']
  if (text !== undefined && !/^\d{1,16}$/.test(text)) throw new UsageError('--chain-id must be a number')
  return text === undefined ? undefined : Number(text)
}

async function check(urls: readonly string[], values: NetworkValues, terminal: Terminal): Promise<number> {
  const { answers } = await ask(urls, { chainId: wantedId(values) }, terminal)
  return areFit(answers) ? 0 : 1
}

async function list({ config, db }: BooksContext, terminal: Terminal): Promise<number> {
  const rows = await readRowsAsTheyAre(config, db)
  const usable = rows.networks.filter(({ conflict }) => conflict === undefined)
  const own = new Map(usable.map((known) => [known.row.name, stateOf(known)]))
  for (const { name, title, chainId, coin, isTried } of allEvmNetworks()) {
    const ownState = own.get(name)
    const shipped = isTried ? 'shipped' : 'shipped, untested'
    const state = ownState === undefined ? shipped : `own, ${ownState}`
    terminal.print(
      `${name.padEnd(16)} ${title.padEnd(20)} ${String(chainId).padEnd(14)} ${coin.symbol.padEnd(8)} ${state}`,
    )
  }
  for (const { row, conflict } of rows.networks)
    if (conflict !== undefined) terminal.print(`${row.name.padEnd(16)} own, unusable: ${conflict}`)
  return printRefused(rows, terminal, config.operatorEntryMin)
}

async function add(
  context: BooksContext,
  name: string,
  values: NetworkValues,
  terminal: Terminal,
): Promise<number> {
  const urls = urlsOf(values)
  const wanted = wantedId(values)
  if (wanted === undefined)
    throw new UsageError('--chain-id is required: it is compared with what the nodes say')
  const input = inputOf(name, wanted, values)
  refuse(gweiProblems(input))
  const parts = await openSigning(context)
  const rules = await openNetworkRules(context)
  const { found, answers } = await ask(urls, { chainId: wanted, feeModel: input.feeModel }, terminal)
  requireNoStop(answers)
  refuse(legacyProblems(input, found))
  const draft = networkDraft(input, found)
  if (!(await askYes(`Add ${name}, chain ${wanted}?`, values.yes === true))) return 1
  const rows = await addNetwork(parts, rules, draft, urls)
  terminal.print(`${name} is added. A running Coffer follows it within seconds.`)
  for (const line of networkPolicyLines(draft)) terminal.print(line)
  printEntryMin(rows, terminal)
  return 0
}

/** Replaces the nodes of a network. They must be on its chain. */
async function replaceNodes(
  context: BooksContext,
  name: string,
  values: NetworkValues,
  terminal: Terminal,
): Promise<number> {
  const urls = urlsOf(values)
  const { networks } = await readRowsAsTheyAre(context.config, context.db)
  const known = networks.find(({ row }) => row.name === name)
  if (known === undefined) throw new UsageError(`"${name}" is not one of your own networks`)
  const parts = await openSigning(context)
  const { sealer } = await openNetworkRules(context)
  const { chainId, feeModel } = known.row
  const { answers } = await ask(urls, { chainId, feeModel, isKnown: true }, terminal)
  requireNoStop(answers)
  if (!(await askYes(`Use these nodes for ${name}?`, values.yes === true))) return 1
  const rows = await changeNodes(parts, sealer, name, urls)
  terminal.print(
    `The nodes of ${name} are replaced. Restart every process: a running one keeps the old nodes.`,
  )
  printEntryMin(rows, terminal)
  return 0
}

/** @throws UsageError that names the option of the first problem */
function refuse([first]: readonly FieldProblem[]): void {
  if (first === undefined) return
  const option = first.field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new UsageError(`--${option} ${first.detail}`)
}

function inputOf(name: string, chainId: number, values: NetworkValues): NetworkInput {
  return {
    name,
    chainId,
    title: values.title,
    coin: values.coin,
    coinName: values['coin-name'],
    explorer: values.explorer,
    explorerName: values['explorer-name'],
    walletRpc: values['wallet-rpc'],
    confirmations: values.confirmations?.split(',').map(Number),
    minimum: values.minimum,
    depositMax: values['deposit-max'],
    maxFee: values['max-fee'],
    minTip: values['min-tip'],
    maxTip: values['max-tip'],
    feeModel: values['fee-model'],
    coldAddress: values['cold-address'],
    gasBudget: values['gas-budget'],
    typicalFee: values['typical-fee'],
    mirrors: values.mirror?.split(',').filter((address) => address !== ''),
    isStable: values.stable,
    isCreditable: values.creditable,
  }
}
