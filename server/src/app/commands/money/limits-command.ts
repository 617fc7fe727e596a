import { setLimits, unsetLimits } from '../../../pricing/limits/set-limits.ts'
import { listOverrides } from '../../../pricing/limits/store.ts'
import { overrideView } from '../../../pricing/limits/view.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { actingOnFigures, type CommandContext } from '../operator-context.ts'
import { describeTarget, readTarget, targetOptions } from '../operator-words.ts'

const string = { type: 'string' } as const
const options = { ...targetOptions, 'min-collect': string, 'min-withdraw': string }

/**
 * Maximum number of lines that the command prints, because nobody reads more. The API returns all entries in
 * pages.
 */
const listedRows = 1000

export const limitsCommand: Command = {
  usage: 'list | set | unset  [--merchant ID] [--method N] [--min-collect A] [--min-withdraw A]',
  help: [
    'Amounts are in USD for all methods, and in the asset for one method. By default both minimums are 1 USD, or twice the',
    'minimum of each asset in GET /payment-methods; no exchange rate is used.',
    '',
    '  coffer limits list                                             limits that are set',
    '  coffer limits set --min-collect 5 --min-withdraw 10            everybody, in USD',
    '  coffer limits set --method 3 --min-withdraw 0.01               withdrawals of ether, in ether',
    '  coffer limits set --merchant ID --min-withdraw 0               one merchant may withdraw any amount',
    '  coffer limits unset --method 3                                 removes both limits for ether',
    '',
    'The most specific limit applies: merchant and method, then merchant, then method, then everybody. A method is given by',
    'its number or its symbol. A running Coffer applies a change at once; each change is recorded.',
  ],
  run: actingOnFigures(options, { list, set, unset }),
}

type Values = { readonly [name in keyof typeof options]?: string | undefined }

async function list({ db, methods }: CommandContext, values: Values, terminal: Terminal): Promise<number> {
  const { merchantId } = readTarget(methods, values)
  const { pairs, total } = await listOverrides(db, merchantId, { page: 1, limit: listedRows })
  if (total === 0)
    terminal.note('No limits are set: the minimum is 1 USD to collect, and 1 USD’s worth to withdraw.')
  for (const pair of pairs) {
    const { minCollect, minWithdraw, currency, ...target } = overrideView(methods, pair)
    const figures = `collect ${minCollect ?? '-'}, withdraw ${minWithdraw ?? '-'} ${currency}`
    terminal.print(`${describeTarget(methods, target)}  ${figures}`)
  }
  return 0
}

async function set(context: CommandContext, values: Values, terminal: Terminal): Promise<number> {
  const input = { minCollect: values['min-collect'], minWithdraw: values['min-withdraw'] }
  if (input.minCollect === undefined && input.minWithdraw === undefined) {
    throw new UsageError('an amount is required: --min-collect, --min-withdraw or both')
  }
  await setLimits(context, undefined, { ...readTarget(context.methods, values), ...input })
  return list(context, values, terminal)
}

async function unset(context: CommandContext, values: Values, terminal: Terminal): Promise<number> {
  const wasSet = await unsetLimits(context, undefined, readTarget(context.methods, values))
  terminal.note(wasSet ? 'Removed.' : 'No limit is set for exactly these options.')
  return wasSet ? 0 : 1
}
