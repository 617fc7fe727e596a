/** The requests under an Idempotency-Key, and what their callers learn from the answers. */
import type { ProblemCode } from '../../src/core/errors.ts'
import type { Creation } from './creation.ts'

/** An answer that the service stores under a key, as far as callers compare it. */
export interface GivenAnswer {
  readonly status: number
  readonly body: string
}

/** A request under a key. It can be sent several times. */
export interface SentRequest {
  readonly creation: Creation
  readonly key: string
  /** The ids with which the service ran the request. Something may exist under one of them. */
  readonly ids: Set<string>
  /** The answers that the caller received, in the order of their arrival. */
  readonly answers: GivenAnswer[]
  /**
   * The code of the rejection that the request got when it was last sent, if the rejection is not stored under the key.
   * Undefined if the request got an answer or no response.
   */
  lastProblem: ProblemCode | undefined
  /**
   * Whether the service wrongly rejected the request because of another request under its key: it had answered this
   * request before, or the merchant used the key for no other request.
   */
  isDenied: boolean
  /** Whether the service has created something, or found it created, at least once. */
  isServed: boolean
}

/**
 * All requests under keys since the database was last restored. A restored database may have lost newer keys,
 * and only the recovery of lost records stores them again.
 */
export class KeyedRequests {
  readonly #counts = new Map<string, number>()
  #sent: readonly SentRequest[] = []

  get sent(): readonly SentRequest[] {
    return this.#sent
  }

  /**
   * Adds a request.
   * @param key by default, the next key of the merchant; the merchants number their requests, so the keys of several
   * merchants are equal
   */
  add(creation: Creation, key = this.#nextKey(creation)): SentRequest {
    const added: SentRequest = {
      creation,
      key,
      ids: new Set(),
      answers: [],
      lastProblem: undefined,
      isDenied: false,
      isServed: false,
    }
    this.#sent = [...this.#sent, added]
    return added
  }

  forget(): void {
    this.#sent = []
  }

  #nextKey({ kind, merchantId }: Creation): string {
    const counted = `${kind} ${merchantId}`
    const next = (this.#counts.get(counted) ?? 0) + 1
    this.#counts.set(counted, next)
    return `${kind}-${next}`
  }
}
