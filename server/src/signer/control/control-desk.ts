/** Answers what the signer is asked beside signatures: countersigns heads, keeps halts, lifts them. */
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
import { Refusal } from '../judging/refusal.ts'
import { publicStatementKey, signStatement } from '../keys/statement-key.ts'
import type { SignerRecords } from '../log/records.ts'
import type { ControlEntry, NewControlEntry } from './control-log.ts'
import { ControlState, judgeHead, type Unstamped } from './control-state.ts'

export interface ControlParts {
  readonly statementKey: KeyObject
  readonly clock: Pick<Clock, 'now'>
  /** For play money: a life of the database that was never heard of is opened by its first head. */
  readonly opensIncarnations: boolean
}

/** More stand at once than anybody ever decides: whoever reaches the socket does not fill the disk. */
const haltsMax = 1_000

export class ControlDesk implements SignerControl {
  readonly #parts: ControlParts
  readonly #state = new ControlState()
  readonly #publicKey: string
  #records: Pick<SignerRecords, 'appendControl' | 'logIncarnation'> | undefined

  constructor(parts: ControlParts) {
    this.#parts = parts
    this.#publicKey = publicStatementKey(parts.statementKey)
  }

  replay(entry: ControlEntry): void {
    this.#state.apply(entry)
  }

  /** Where statements are written to, once both logs were read. */
  writeTo(records: Pick<SignerRecords, 'appendControl' | 'logIncarnation'>): void {
    this.#records = records
  }

  attest(): Pick<Attestation, 'logIncarnation' | 'statementKey' | 'sealHead' | 'halts'> {
    const { head, halts, logIncarnation } = this.#state
    return {
      logIncarnation: this.#records?.logIncarnation ?? logIncarnation,
      statementKey: this.#publicKey,
      halts,
      ...(head !== undefined && { sealHead: head }),
    }
  }

  async countersign(request: CountersignRequest): Promise<CountersignAnswer> {
    const { previous, ...head } = request
    const judged = judgeHead(this.#state, request, this.#parts.opensIncarnations)
    if (judged.type === 'refused') return judged
    if (judged.type === 'new') await this.#write(judged.entries)
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
    const { haltId, incarnation, reason } = signed.lift
    const entries: Unstamped[] = []
    if (!this.#state.isLifted(haltId)) entries.push({ type: 'lift', id: haltId, line })
    if (incarnation !== null && !this.#state.hasOpened(incarnation))
      entries.push({ type: 'opened', incarnation, former: this.#state.head ?? null, reason })
    if (entries.length > 0) await this.#write(entries)
    return true
  }

  /** @throws Refusal while a halt stands, but for what fills the place of another in a wallet's order */
  requireNoHalt(intent: Intent): void {
    const [halt, ...more] = this.#state.halts
    if (halt === undefined || isFiller(intent)) return
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    throw new Refusal(
      'halted',
      `Halt ${halt.id} (${halt.cause})${others} stands: lift it on the signer's host`,
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

/** One unit of the coin between our own wallets, so that what was signed for later nonces is mined. */
function isFiller(intent: Intent): boolean {
  return intent.kind === 'rebalance' && intent.contract === null && intent.amountMinor === 1n
}
