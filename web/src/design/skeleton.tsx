import { classNames } from './class-names.ts'

/** A placeholder for content that is loading. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={classNames('block h-4 rounded-md bg-band motion-safe:animate-pulse', className)}
    />
  )
}

export function SkeletonLines({ count = 3 }: { count?: number }) {
  return (
    <div role="status" className="grid gap-3">
      <span className="sr-only">Loading</span>
      {Array.from({ length: count }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all lines are alike and never move
        <Skeleton key={line} className={line % 3 === 2 ? 'w-2/3' : 'w-full'} />
      ))}
    </div>
  )
}
