/**
 * Answers the calls on the signer's socket that countersign heads (last hashes of the sealed history), start
 * halts or lift halts. The fields of the calls are not trusted.
 */
import type { CountersignRequest, SignerControl } from '../../signing/signer-port.ts'

/** The result of a call. If `error` is set, the call had the wrong shape and did nothing. */
export type ControlReply = { readonly result: unknown } | { readonly error: string }

type Given = Readonly<Record<string, unknown>>

/** Answers a call `countersign`, `halt` or `lift`. Returns undefined for any other call. */
export function replyToControl(
  control: SignerControl,
  call: unknown,
  given: Given,
): Promise<ControlReply> | undefined {
  switch (call) {
    case 'countersign':
      return countersign(control, given['head'])
    case 'halt':
      return halt(control, given['halt'])
    case 'lift':
      return lift(control, given['line'])
    default:
      return undefined
  }
}

async function countersign(control: SignerControl, head: unknown): Promise<ControlReply> {
  const request = readHead(head)
  if (request === undefined)
    return { error: '"head" must have an incarnation, a sequence, a hash in hex and "previous"' }
  return { result: await control.countersign(request) }
}

async function halt(control: SignerControl, given: unknown): Promise<ControlReply> {
  const { id, cause } = fieldsOf(given)
  if (!isText(id) || !isText(cause)) return { error: '"halt" must have an id and a cause' }
  await control.halt({ id, cause })
  return { result: true }
}

async function lift(control: SignerControl, line: unknown): Promise<ControlReply> {
  if (typeof line !== 'string') return { error: '"line" must be a line of "coffer signer lift"' }
  return { result: await control.lift(line) }
}

function readHead(value: unknown): CountersignRequest | undefined {
  const { databaseId, sequence, hash, previous } = fieldsOf(value)
  const before = previous === null ? null : readSealPosition(fieldsOf(previous))
  const position = readSealPosition({ sequence, hash })
  if (!isText(databaseId) || position === undefined || before === undefined) return undefined
  return { databaseId, ...position, previous: before }
}

function readSealPosition({
  sequence,
  hash,
}: Given): { readonly sequence: number; readonly hash: string } | undefined {
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 1) return undefined
  return typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) ? { sequence, hash } : undefined
}

function fieldsOf(value: unknown): Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Given) : {}
}

/** Decides whether a value has the form of an id or of the cause of a halt. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,100}$/.test(value)
}
