import { ChevronDown } from 'lucide-react'
import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useEffect,
  useId,
} from 'react'
import { classNames } from './class-names.ts'

const control =
  'w-full min-w-0 min-h-9 rounded-lg border border-line-strong bg-paper px-3 py-1.5 text-ink shadow-card ' +
  'aria-invalid:border-bad disabled:bg-band disabled:text-ink-soft max-sm:text-base'

interface Labelled {
  readonly label: string
  /** What the user should know before filling in the field. */
  readonly hint?: ReactNode
  /** What is wrong with the value. */
  readonly error?: string | undefined
  /** Shows the label to screen readers only, if the context already says what the field is. */
  readonly isLabelHidden?: boolean
}

interface FieldProps extends Labelled {
  children(ids: { readonly id: string; readonly describedBy: string | undefined }): ReactNode
}

/** A control with its label, hint and error. */
export function Field({ label, hint, error, isLabelHidden = false, children }: FieldProps) {
  const id = useId()
  useFocusOnError(id, error)
  const said = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-fault`].filter(Boolean)
  return (
    <div className="grid min-w-0 content-start gap-1.5">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'font-medium'}>
        {label}
      </label>
      {children({ id, describedBy: said.length === 0 ? undefined : said.join(' ') })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-[0.8125rem] text-ink-soft">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p
          id={`${id}-fault`}
          role="alert"
          className="text-[0.8125rem] font-medium text-bad first-letter:uppercase"
        >
          {error}
        </p>
      )}
    </div>
  )
}

/**
 * Focuses the first invalid field of a form, because on a phone this field may be far from the pressed
 * button.
 */
function useFocusOnError(id: string, error: string | undefined): void {
  useEffect(() => {
    if (error === undefined) return
    const control = document.getElementById(id)
    if (control?.closest('form')?.querySelector('[aria-invalid=true]') === control) control?.focus()
  }, [id, error])
}

type TextProps = Labelled &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> & {
    readonly value: string
    onValue(value: string): void
    /** A unit that is shown after the value. */
    readonly suffix?: string
  }

export function TextField({
  label,
  hint,
  error,
  isLabelHidden,
  onValue,
  suffix,
  className,
  ...rest
}: TextProps) {
  return (
    <Field {...labelled({ label, hint, error, isLabelHidden })}>
      {({ id, describedBy }) => (
        <div className="relative">
          <input
            {...rest}
            id={id}
            aria-describedby={describedBy}
            aria-invalid={error === undefined ? undefined : true}
            onChange={(event) => onValue(event.target.value)}
            className={classNames(control, suffix !== undefined && 'pr-16', className)}
          />
          {suffix !== undefined && (
            <span className="pointer-events-none absolute inset-y-0 right-3 grid place-items-center text-ink-faint">
              {suffix}
            </span>
          )}
        </div>
      )}
    </Field>
  )
}

type SelectProps = Labelled &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> & {
    readonly value: string
    onValue(value: string): void
    readonly options: readonly { readonly value: string; readonly label: string }[]
  }

/** A select element of the browser. It works best on touch screens and with screen readers. */
export function SelectField({ label, hint, error, isLabelHidden, onValue, options, ...rest }: SelectProps) {
  return (
    <Field {...labelled({ label, hint, error, isLabelHidden })}>
      {({ id, describedBy }) => (
        <div className="relative">
          <select
            {...rest}
            id={id}
            aria-describedby={describedBy}
            aria-invalid={error === undefined ? undefined : true}
            onChange={(event) => onValue(event.target.value)}
            className={classNames(control, 'appearance-none pr-9 text-ellipsis')}
          >
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
          <ChevronDown
            aria-hidden
            className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-ink-faint"
          />
        </div>
      )}
    </Field>
  )
}

type TextAreaProps = Labelled &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'> & {
    readonly value: string
    onValue(value: string): void
  }

/** A field with several lines. */
export function TextAreaField({
  label,
  hint,
  error,
  isLabelHidden,
  onValue,
  className,
  ...rest
}: TextAreaProps) {
  return (
    <Field {...labelled({ label, hint, error, isLabelHidden })}>
      {({ id, describedBy }) => (
        <textarea
          {...rest}
          id={id}
          aria-describedby={describedBy}
          aria-invalid={error === undefined ? undefined : true}
          onChange={(event) => onValue(event.target.value)}
          className={classNames(control, className)}
        />
      )}
    </Field>
  )
}

/** Removes undefined properties, because `exactOptionalPropertyTypes` does not accept them. */
function labelled({ label, hint, error, isLabelHidden }: { [K in keyof Labelled]: Labelled[K] | undefined }) {
  return {
    label: label ?? '',
    ...(hint === undefined ? {} : { hint }),
    ...(error === undefined ? {} : { error }),
    ...(isLabelHidden === undefined ? {} : { isLabelHidden }),
  }
}

interface CheckProps {
  readonly label: ReactNode
  readonly isChecked: boolean
  onCheck(isChecked: boolean): void
  readonly disabled?: boolean
}

export function CheckField({ label, isChecked, onCheck, disabled = false }: CheckProps) {
  return (
    <label className="flex min-h-6 cursor-pointer items-start gap-2">
      <input
        type="checkbox"
        className="mt-0.5 size-4 accent-accent"
        checked={isChecked}
        disabled={disabled}
        onChange={(event) => onCheck(event.target.checked)}
      />
      <span>{label}</span>
    </label>
  )
}
