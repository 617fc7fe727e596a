import { type FeeType, feeTypes } from '../../../pricing/fees/fee.ts'
import { setSchedule, unsetSchedule } from '../../../pricing/fees/set-schedule.ts'
import { listSchedules, type StoredSchedule } from '../../../pricing/fees/store.ts'
import { storedScheduleView } from '../../../pricing/fees/view.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { actingOnFigures, type CommandContext } from '../operator-context.ts'
import { describeTarget, readTarget, targetOptions } from '../operator-words.ts'

const string = { type: 'string' } as const
const options = { ...targetOptions, type: string, percent: string, flat: string, currency: string }

/**
 * Maximum number of lines that the command prints, because nobody reads more. The API returns all entries in
 * pages.
 */
const listedRows = 1000

export const feesCommand: Command = {
  usage:
    'list | set | unset  [--type T] [--merchant ID] [--method N] [--percent P] [--flat F] [--currency C]',
  help: [
    'A fee is a percentage of the amount plus a flat part, and never more than the amount. Where no fee is set, the',
    'defaults of this installation apply.',
    '',
    '  coffer fees list                                                       fees that are set',
    '  coffer fees set --type onetime --percent 1.5 --flat 0.50               everybody, in USD',
    '  coffer fees set --type onetime --method 3 --percent 1 --flat 0.0002    payments in ether, in ether',
    '  coffer fees set --type withdrawal --method 1 --percent 0 --flat 1      withdrawals of USDT',
    '  coffer fees set --type collect --merchant ID --percent 0.8             an agreement with one merchant',
    '  coffer fees unset --type collect --merchant ID                         removes that agreement',
    '',
    `Types: ${feeTypes.join(', ')}. A method is its number or its symbol (GET /payment-methods).`,
    'The most specific fee applies: merchant and method, then merchant, then method, then everybody. It replaces the others',
    'completely. With --method the flat part is in the method’s asset, or in USD with --currency USD, converted at the',
    'price of each payment; for withdrawals, which need no price, it is in the asset. Payments that were detected before a',
    'change keep their terms. A running Coffer applies a change at once; each change is recorded.',
  ],
  run: actingOnFigures(options, { list, set, unset }),
}

type Values = { readonly [name in keyof typeof options]?: string | undefined }

async function list({ db, methods }: CommandContext, values: Values, terminal: Terminal): Promise<number> {
  const { merchantId } = readTarget(methods, values)
  const { schedules, total } = await listSchedules(db, merchantId, { page: 1, limit: listedRows })
  if (total === 0) terminal.note('No fees are set: the defaults apply.')
  for (const stored of schedules) terminal.print(lineOf({ methods }, stored))
  return 0
}

async function set(context: CommandContext, values: Values, terminal: Terminal): Promise<number> {
  const { percent, flat = '0', currency } = values
  if (percent === undefined) throw new UsageError('a percentage is required: --percent 1.5')
  const target = { type: readType(values.type), ...readTarget(context.methods, values) }
  const stored = await setSchedule(context, undefined, { ...target, percent, flat, currency })
  terminal.print(lineOf(context, stored))
  return 0
}

async function unset(context: CommandContext, values: Values, terminal: Terminal): Promise<number> {
  const target = { type: readType(values.type), ...readTarget(context.methods, values) }
  const wasSet = await unsetSchedule(context, undefined, target)
  terminal.note(wasSet ? 'Removed.' : 'No fee is set for exactly these options.')
  return wasSet ? 0 : 1
}

function readType(text: string | undefined): FeeType {
  const type = feeTypes.find((known) => known === text)
  if (type === undefined) throw new UsageError(`a type is required: --type ${feeTypes.join('|')}`)
  return type
}

function lineOf({ methods }: Pick<CommandContext, 'methods'>, stored: StoredSchedule): string {
  const { type, percent, flat, currency, ...target } = storedScheduleView(methods, stored)
  return `${type.padEnd(10)}  ${describeTarget(methods, target)}  ${percent} % + ${flat} ${currency}`
}
