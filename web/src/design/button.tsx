import { LoaderCircle } from 'lucide-react'
import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** `ending` opens the confirmation of a destructive action. `danger` executes the action. */
export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'ending' | 'danger'

const variants: Readonly<Record<ButtonVariant, string>> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong shadow-card',
  secondary: 'bg-paper text-ink border border-line-strong/60 hover:bg-band shadow-card',
  quiet: 'text-ink-soft hover:bg-band hover:text-ink',
  ending: 'bg-paper text-bad border border-line-strong/60 hover:bg-bad-soft shadow-card',
  danger: 'bg-bad text-on-bad hover:bg-bad-strong shadow-card',
}

/** Returns the CSS classes of a button. Links that look like buttons use them too. */
export function buttonClasses(variant: ButtonVariant = 'primary', extra?: string): string {
  return classNames(
    'inline-flex min-h-9 items-center justify-center gap-1.5 rounded-lg px-3 py-1.5 font-medium whitespace-nowrap',
    'transition-colors select-none disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
    variants[variant],
    extra,
  )
}

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: ButtonVariant
  /** Whether the action of the button is running. Meanwhile the button is disabled. */
  readonly isBusy?: boolean
  readonly children: ReactNode
}

export function Button({
  variant = 'primary',
  isBusy = false,
  className,
  disabled,
  children,
  ...rest
}: Props) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy || undefined}
      className={buttonClasses(variant, className)}
    >
      {isBusy && <LoaderCircle aria-hidden className="motion-safe:animate-spin" />}
      {children}
    </button>
  )
}
