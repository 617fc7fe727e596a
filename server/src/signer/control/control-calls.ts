/** The calls on the socket that ask for no signature of a transaction; anything may be in them. */
import type { CountersignRequest, SignerControl } from '../../signing/signer-port.ts'

/** What a call came to; `fault` where it had another shape than it must have, and did nothing. */
export type ControlReply = { readonly result: unknown } | { readonly fault: string }

type Given = Readonly<Record<string, unknown>>

/** Undefined where the call is another. */
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
    return { fault: '"head" must have an incarnation, a sequence, a hash in hex and "previous"' }
  return { result: await control.countersign(request) }
}

async function halt(control: SignerControl, given: unknown): Promise<ControlReply> {
  const { id, cause } = fieldsOf(given)
  if (!isText(id) || !isText(cause)) return { fault: '"halt" must have an id and a cause' }
  await control.halt({ id, cause })
  return { result: true }
}

async function lift(control: SignerControl, line: unknown): Promise<ControlReply> {
  if (typeof line !== 'string') return { fault: '"line" must be a lift' }
  return { result: await control.lift(line) }
}

function readHead(value: unknown): CountersignRequest | undefined {
  const { incarnation, sequence, hash, previous } = fieldsOf(value)
  const before = previous === null ? null : readPlace(fieldsOf(previous))
  const place = readPlace({ sequence, hash })
  if (!isText(incarnation) || place === undefined || before === undefined) return undefined
  return { incarnation, ...place, previous: before }
}

function readPlace({
  sequence,
  hash,
}: Given): { readonly sequence: number; readonly hash: string } | undefined {
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 1) return undefined
  return typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) ? { sequence, hash } : undefined
}

function fieldsOf(value: unknown): Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Given) : {}
}

/** Ids and causes. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,100}$/.test(value)
}
