/** Answers the signer's control calls: it countersigns heads, records halts and lifts them. */
import type { KeyObject } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { Intent } from '../../signing/intent.ts'
import type {
  Attestation,
  CountersignAnswer,
  CountersignRequest,
  SignerControl,
  SignerHalt,
} from '../../signing/signer-port.ts'
import { isSigned, readLiftLine, sealHeadStatement } from '../../signing/statement.ts'
import { Refusal } from '../authorization/refusal.ts'
import { publicStatementKey, signStatement } from '../keys/statement-key.ts'
import type { SignerRecords } from '../log/records.ts'
import type { ControlEntry, NewControlEntry } from './control-log.ts'
import { ControlState, evaluateHead, type Unstamped } from './control-state.ts'

export interface ControlParts {
  readonly statementKey: KeyObject
  readonly clock: Pick<Clock, 'now'>
  /**
   * Whether the first head of an unknown incarnation of the database opens that incarnation. True in a
   * sandbox only.
   */
  readonly opensDatabaseIdentities: boolean
}

/**
 * Maximum number of halts in force; no operator would handle more. Without this limit, a client of the socket
 * could fill the disk.
 */
const haltsMax = 1_000

export class LoggedControl implements SignerControl {
  readonly #parts: ControlParts
  readonly #state = new ControlState()
  readonly #publicKey: string
  #records: Pick<SignerRecords, 'appendControl' | 'logGeneration'> | undefined

  constructor(parts: ControlParts) {
    this.#parts = parts
    this.#publicKey = publicStatementKey(parts.statementKey)
  }

  replay(entry: ControlEntry): void {
    this.#state.apply(entry)
  }

  /** Sets the records that store new control entries. Call it after both logs were read. */
  writeTo(records: Pick<SignerRecords, 'appendControl' | 'logGeneration'>): void {
    this.#records = records
  }

  attest(): Pick<Attestation, 'logGeneration' | 'statementKey' | 'sealHead' | 'halts'> {
    const { head, halts, logGeneration } = this.#state
    return {
      logGeneration: this.#records?.logGeneration ?? logGeneration,
      statementKey: this.#publicKey,
      halts,
      ...(head !== undefined && { sealHead: head }),
    }
  }

  async countersign(request: CountersignRequest): Promise<CountersignAnswer> {
    const { previous, ...head } = request
    const evaluated = evaluateHead(this.#state, request, this.#parts.opensDatabaseIdentities)
    if (evaluated.type === 'refused') return evaluated
    if (evaluated.type === 'new') await this.#write(evaluated.entries)
    return {
      type: 'countersigned',
      signature: signStatement(this.#parts.statementKey, sealHeadStatement(head)),
    }
  }

  async halt({ id, cause }: SignerHalt): Promise<void> {
    if (this.#state.knows(id) || this.#state.halts.length >= haltsMax) return
    await this.#write([{ type: 'halt', id, cause }])
  }

  async lift(line: string): Promise<boolean> {
    const signed = readLiftLine(line)
    if (signed === undefined || !isSigned(this.#publicKey, signed.statement, signed.signature)) return false
    const { haltId, databaseId, reason } = signed.lift
    const entries: Unstamped[] = []
    if (!this.#state.isLifted(haltId)) entries.push({ type: 'lift', id: haltId, line })
    if (databaseId !== null && !this.#state.hasOpened(databaseId))
      entries.push({ type: 'opened', databaseId, former: this.#state.head ?? null, reason })
    if (entries.length > 0) await this.#write(entries)
    return true
  }

  /**
   * Checks that no halt is in force. A nonce-gap transaction is allowed even during a halt.
   * @throws Refusal while a halt is in force.
   */
  requireNoHalt(intent: Intent): void {
    const [halt, ...more] = this.#state.halts
    if (halt === undefined || isNonceGapTransaction(intent)) return
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    throw new Refusal(
      'halted',
      `Halt ${halt.id} (${halt.cause})${others} is in force: lift it on the signer's host`,
    )
  }

  async #write(entries: readonly Unstamped[]): Promise<void> {
    const at = this.#parts.clock.now().toISOString()
    const stamped = entries.map((entry): NewControlEntry => ({ ...entry, at }))
    if (this.#records === undefined) throw new Error('the control log is not open yet')
    await this.#records.appendControl(stamped)
    for (const entry of stamped) this.#state.apply(entry)
  }
}

/**
 * Decides whether an intent is a nonce-gap transaction. Such a transaction moves one unit of the native coin
 * between our own wallets, so that transactions signed for later nonces can be mined.
 */
function isNonceGapTransaction(intent: Intent): boolean {
  return intent.kind === 'rebalance' && intent.contract === null && intent.amountMinor === 1n
}
