import { evmAddresses } from '../../../chains/evm/address.ts'
import { addToken } from '../../../pricing/own-rows/add-own-row.ts'
import { tokenName } from '../../../pricing/own-rows/own-token.ts'
import { stateOf } from '../../../pricing/own-rows/signed-rows.ts'
import { findRunningNodes } from '../../open-evm-nodes.ts'
import { areFit, askingTimeoutMs, askToken } from '../../own-rows/ask-chain.ts'
import { tokenPolicyLines } from '../../own-rows/policy-lines.ts'
import { readOwnNodes, readRowsAsTheyAre } from '../../own-rows/read-own-rows.ts'
import { tokenDraft } from '../../own-rows/token-draft.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type BooksContext, type CommandContext, withBooks, withMethods } from '../operator-context.ts'
import { printable } from '../operator-words.ts'
import { readWords } from '../read-words.ts'
import { askYes } from './ask-yes.ts'
import {
  openSigning,
  printEntryMin,
  printFindings,
  printRefused,
  requireNoStop,
  turn,
} from './own-rows-context.ts'

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const
const options = {
  symbol: string,
  name: string,
  decimals: string,
  minimum: string,
  'deposit-max': string,
  stable: boolean,
  creditable: boolean,
  yes: boolean,
} as const

type TokenValues = {
  readonly [Name in keyof typeof options]?: (typeof options)[Name] extends typeof boolean
    ? boolean | undefined
    : string | undefined
}

export const tokensCommand: Command = {
  usage:
    'list | check NETWORK CONTRACT | add NETWORK CONTRACT --decimals N [options] | disable NETWORK/SYMBOL | enable NETWORK/SYMBOL',
  help: [
    'Tokens that this installation adds to those of Coffer, on any EVM network that it follows.',
    '',
    '  coffer tokens list                                your tokens, with the number of each as a payment method',
    '  coffer tokens check base 0xCONTRACT               asks the chain what the token is and does; changes nothing',
    '  coffer tokens add base 0xCONTRACT --decimals 6 --stable   asks all nodes, shows what they say, and asks for a yes',
    '  coffer tokens disable base/PYUSD                  new invoices do not offer it; balances can be withdrawn',
    '  coffer tokens enable base/PYUSD',
    '',
    'add needs --decimals: the number of decimals as the issuer’s own page or the explorer of the network states it. It must',
    'equal what every node says, because a wrong number changes the value of each payment.',
    '',
    'Options of add, with their defaults: --symbol and --name (as the contract says) --minimum 1 --deposit-max 1000000000',
    '--stable (its price hardly moves) --creditable (merchants may credit payments on a network that an invoice does not',
    'offer) --yes (asks nothing). Copy the address of the contract from the issuer’s own page.',
    '',
    'A token is refused if a transfer in a test does not deliver what it says. "not tried" means that nothing is known. Your',
    'key signs the entry as for "coffer networks", and the signer needs the line that add prints.',
  ],
  run: async (words, terminal) => {
    const { values, positionals } = readWords(words, { options, positionals: 3 })
    const [verb, first, contract] = positionals
    if (verb === 'list' && first === undefined)
      return withBooks(terminal, (context) => list(context, terminal))
    if (first === undefined)
      throw new UsageError('expected list, or check, add, disable or enable with what is meant')
    if ((verb === 'disable' || verb === 'enable') && contract === undefined) {
      const state = { kind: 'token', name: first, isEnabled: verb === 'enable' } as const
      return withBooks(terminal, (context) => turn(context, state, terminal))
    }
    if ((verb !== 'check' && verb !== 'add') || contract === undefined)
      throw new UsageError('expected check or add with a network and the address of a contract')
    const at = { network: first, contract: readContract(contract) }
    return withMethods(terminal, (context) =>
      verb === 'check' ? check(context, at, terminal) : add(context, at, values, terminal),
    )
  },
}

interface At {
  readonly network: string
  readonly contract: string
}

function readContract(text: string): string {
  const read = evmAddresses.readDestination(text)
  if ('address' in read) return read.address
  throw new UsageError(`${text} ${read.error}`)
}

async function list({ config, db }: BooksContext, terminal: Terminal): Promise<number> {
  const rows = await readRowsAsTheyAre(config, db)
  if (rows.tokens.length === 0) terminal.note('You have added no tokens.')
  for (const known of rows.tokens) {
    const { row } = known
    terminal.print(
      `${String(row.methodId).padEnd(6)} ${tokenName(row).padEnd(24)} ${row.contract}  ${stateOf(known)}`,
    )
  }
  return printRefused(rows, terminal, config.operatorEntryMin)
}

/**
 * Asks each node of the network and prints its answers.
 * @param decimals the number that the operator looked up; undefined if none was
 * @throws UsageError if Coffer follows no such network
 */
async function ask(
  { config, db }: CommandContext,
  { network, contract }: At,
  decimals: number | undefined,
  terminal: Terminal,
) {
  const signal = AbortSignal.timeout(askingTimeoutMs)
  const nodes = [...(await findRunningNodes(config, signal)), ...(await readOwnNodes(config, db))]
  const urls = nodes.find((node) => node.network.name === network)?.urls
  if (urls === undefined) {
    const names = nodes.map((node) => node.network.name).join(', ')
    throw new UsageError(`this Coffer has no node of "${network}"; it has nodes of ${names}`)
  }
  const asked = await askToken(urls, contract, decimals, signal)
  printFindings(asked.answers, terminal)
  return asked
}

function readDecimals(text: string | undefined): number {
  if (text !== undefined && /^\d{1,2}$/.test(text)) return Number(text)
  throw new UsageError(
    '--decimals is required: look the number up on the issuer’s own page. It is compared with what the nodes say',
  )
}

async function check(context: CommandContext, at: At, terminal: Terminal): Promise<number> {
  return areFit((await ask(context, at, undefined, terminal)).answers) ? 0 : 1
}

async function add(
  context: CommandContext,
  at: At,
  values: TokenValues,
  terminal: Terminal,
): Promise<number> {
  const decimals = readDecimals(values.decimals)
  const parts = await openSigning(context)
  const { found, answers } = await ask(context, at, decimals, terminal)
  requireNoStop(answers)
  const draft = tokenDraft(
    {
      ...at,
      decimals,
      symbol: values.symbol,
      name: values.name,
      minimum: values.minimum,
      depositMax: values['deposit-max'],
      isStable: values.stable,
      isCreditable: values.creditable,
    },
    found,
  )
  if (!(await askYes(`Add ${printable(tokenName(draft))}?`, values.yes === true))) return 1
  const rows = await addToken(parts, draft, context.methods.all)
  terminal.print(`${tokenName(draft)} is added. A running Coffer takes it within seconds.`)
  for (const line of tokenPolicyLines(draft)) terminal.print(line)
  printEntryMin(rows, terminal)
  return 0
}
