export function Mark() {
  return (
    <span className="inline-flex items-center gap-2 text-[0.9375rem] font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" aria-hidden className="size-6">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <path
          d="M21.5 11.5a7 7 0 1 0 0 9"
          className="fill-none stroke-on-accent"
          strokeWidth="3"
          strokeLinecap="round"
        />
        <circle cx="16" cy="16" r="2" className="fill-on-accent" />
      </svg>
      Coffer
    </span>
  )
}
