import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CofferError } from 'coffer-sdk'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { TextField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { api, errorText, keepCsrfToken } from '../client.ts'
import { useAction } from '../use-api.ts'
import { Entrance } from './entrance.tsx'
import { type Session, sessionKey } from './use-session.ts'

/** Asks for email and password, and then for a code if the account has a second factor. */
export function SignInPage() {
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string>()
  const signIn = useAction((body: { email: string; password: string; code?: string }) => openSession(body), {
    showsError: true,
    onDone: (session) => queries.setQueryData(sessionKey, session),
  })
  const wantsCode = isAskedForCode(signIn.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signIn.mutate({ email, password, ...(code === undefined || code === '' ? {} : { code: code.trim() }) })
  }
  if (wantsCode && code === undefined) setCode('')
  return (
    <Entrance
      title={code === undefined ? 'Sign in' : 'Two-factor authentication'}
      lead={
        code === undefined
          ? 'Sign in to your Coffer account.'
          : 'Enter the six digits that your authenticator app shows, or one of your recovery codes.'
      }
    >
      <form className="grid gap-4" onSubmit={submit}>
        {code === undefined ? (
          <LoginFields email={email} password={password} onEmail={setEmail} onPassword={setPassword} />
        ) : (
          <TextField
            label="Code"
            value={code}
            onValue={setCode}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            required
            autoFocus
          />
        )}
        {signIn.error !== null && !(wantsCode && code === '') && (
          <Notice tone="bad">{errorText(signIn.error)}</Notice>
        )}
        <Button type="submit" isBusy={signIn.isPending}>
          {code === undefined ? 'Sign in' : 'Continue'}
        </Button>
      </form>
      {code === undefined ? (
        <p className="text-ink-soft">
          No account yet?{' '}
          <Link to="/sign-up" className="font-medium text-accent-text underline underline-offset-2">
            Sign up
          </Link>
        </p>
      ) : (
        <Button
          variant="quiet"
          onClick={() => {
            setCode(undefined)
            signIn.reset()
          }}
        >
          Use another account
        </Button>
      )}
    </Entrance>
  )
}

interface LoginFieldsProps {
  readonly email: string
  readonly password: string
  onEmail(email: string): void
  onPassword(password: string): void
}

function LoginFields({ email, password, onEmail, onPassword }: LoginFieldsProps) {
  return (
    <>
      <TextField
        label="Email"
        type="email"
        value={email}
        onValue={onEmail}
        autoComplete="username"
        required
      />
      <TextField
        label="Password"
        type="password"
        value={password}
        onValue={onPassword}
        autoComplete="current-password"
        required
      />
    </>
  )
}

export async function openSession(body: {
  readonly email: string
  readonly password: string
  readonly code?: string
}): Promise<Session> {
  const session = await api.openDashboardSession({ body })
  keepCsrfToken(session.csrfToken)
  return session
}

function isAskedForCode(error: Error | null): boolean {
  return error instanceof CofferError && String(error.code) === 'two-factor-required'
}
