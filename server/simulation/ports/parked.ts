import type { Life } from '../scheduler/life.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'

/**
 * Returns a copy of `target` in which the methods in `watched` park: each waits until the scheduler runs it.
 * These methods must be asynchronous. Other properties do not change.
 */
export function parked<Target extends object>(
  scheduler: Scheduler,
  life: Life,
  kind: string,
  target: Target,
  watched: readonly (keyof Target & string)[],
): Target {
  const copy = Object.create(target) as Target
  for (const name of watched) {
    const method = Reflect.get(target, name)
    if (typeof method !== 'function') continue
    const step = (...params: unknown[]) =>
      scheduler.step({ life, label: `${kind} ${name}`, run: () => Reflect.apply(method, target, params) })
    Object.defineProperty(copy, name, { value: step, enumerable: true })
  }
  return copy
}
