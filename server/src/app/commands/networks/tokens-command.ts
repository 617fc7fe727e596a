import { evmAddresses } from '../../../chains/evm/address.ts'
import { probeToken, type TokenFindings } from '../../../chains/evm/probe/probe-token.ts'
import { addToken } from '../../../pricing/own-rows/add-own-row.ts'
import { tokenName } from '../../../pricing/own-rows/own-token.ts'
import { findRunningNodes } from '../../open-evm-nodes.ts'
import { describeToken } from '../../own-rows/describe-findings.ts'
import { readOwnNodes, readRowsAsTheyAre } from '../../own-rows/read-own-rows.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type BooksContext, type CommandContext, withBooks, withMethods } from '../operator-context.ts'
import { printable } from '../operator-words.ts'
import { readWords } from '../read-words.ts'
import { askYes } from './ask-yes.ts'
import {
  askingTimeoutMs,
  openSigning,
  printEntryMin,
  printFindings,
  printRefused,
  requireFit,
  stateOf,
  turn,
} from './own-rows-context.ts'
import { tokenPolicyLines } from './policy-lines.ts'

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const
const options = {
  symbol: string,
  name: string,
  minimum: string,
  'deposit-max': string,
  stable: boolean,
  creditable: boolean,
  yes: boolean,
} as const

export const tokensCommand: Command = {
  usage:
    'list | check NETWORK CONTRACT | add NETWORK CONTRACT [options] | disable NETWORK/SYMBOL | enable NETWORK/SYMBOL',
  help: [
    'Tokens that this installation adds to those of Coffer, on any EVM network that it follows.',
    '',
    '  coffer tokens list                                your tokens, with the number of each as a payment method',
    '  coffer tokens check base 0xCONTRACT               asks the chain what the token is and does; changes nothing',
    '  coffer tokens add base 0xCONTRACT --stable        asks the chain, shows what it found, and asks for a yes',
    '  coffer tokens disable base/PYUSD                  new invoices do not offer it; balances can be withdrawn',
    '  coffer tokens enable base/PYUSD',
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

/** @throws UsageError if Coffer follows no such network */
async function ask({ config, db }: CommandContext, { network, contract }: At): Promise<TokenFindings> {
  const signal = AbortSignal.timeout(askingTimeoutMs)
  const nodes = [...(await findRunningNodes(config, signal)), ...(await readOwnNodes(config, db))]
  const url = nodes.find((node) => node.network.name === network)?.urls[0]
  if (url === undefined) {
    const names = nodes.map((node) => node.network.name).join(', ')
    throw new UsageError(`this Coffer has no node of "${network}"; it has nodes of ${names}`)
  }
  return probeToken(url, contract, signal)
}

async function check(context: CommandContext, at: At, terminal: Terminal): Promise<number> {
  return printFindings(describeToken(await ask(context, at)), terminal) ? 0 : 1
}

async function add(
  context: CommandContext,
  at: At,
  values: { readonly [Name in keyof typeof options]?: string | boolean | undefined },
  terminal: Terminal,
): Promise<number> {
  const parts = await openSigning(context)
  const found = await ask(context, at)
  requireFit(printFindings(describeToken(found), terminal))
  const draft = {
    ...at,
    symbol: String(values.symbol ?? found.symbol ?? ''),
    name: String(values.name ?? found.name ?? ''),
    decimals: found.decimals ?? -1,
    minimum: String(values.minimum ?? '1'),
    depositMax: String(values['deposit-max'] ?? '1000000000'),
    isStable: values.stable === true,
    isCreditable: values.creditable === true,
  }
  if (!(await askYes(`Add ${printable(tokenName(draft))}?`, values.yes === true))) return 1
  const rows = await addToken(parts, draft, context.methods.all)
  terminal.print(`${tokenName(draft)} is added. A running Coffer takes it within seconds.`)
  for (const line of tokenPolicyLines(draft)) terminal.print(line)
  printEntryMin(rows, terminal)
  return 0
}
