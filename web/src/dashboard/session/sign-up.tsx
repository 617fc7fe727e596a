import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { TextField } from '../../design/field.tsx'
import { Notice } from '../../design/notice.tsx'
import { api, errorText, fieldError } from '../client.ts'
import { useAction } from '../use-api.ts'
import { Entrance } from './entrance.tsx'
import { openSession } from './sign-in.tsx'
import { sessionKey } from './use-session.ts'

export function SignUpPage() {
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signUp = useAction(
    async (body: { email: string; password: string }) => {
      await api.register({ body })
      return openSession(body)
    },
    { showsError: true, onDone: (session) => queries.setQueryData(sessionKey, session) },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signUp.mutate({ email, password })
  }
  const emailError = fieldError(signUp.error, 'email')
  const passwordError = fieldError(signUp.error, 'password')
  return (
    <Entrance title="Sign up" lead="Create your account first, then your merchants.">
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label="Email"
          type="email"
          value={email}
          onValue={setEmail}
          autoComplete="username"
          error={emailError}
          required
        />
        <TextField
          label="Password"
          type="password"
          value={password}
          onValue={setPassword}
          autoComplete="new-password"
          hint="Use 12 or more characters, such as four or five words of your own."
          error={passwordError}
          required
        />
        {signUp.error !== null && emailError === undefined && passwordError === undefined && (
          <Notice tone="bad">{errorText(signUp.error)}</Notice>
        )}
        <Button type="submit" isBusy={signUp.isPending}>
          Create account
        </Button>
      </form>
      <p className="text-ink-soft">
        Already have an account?{' '}
        <Link to="/sign-in" className="font-medium text-accent-text underline underline-offset-2">
          Sign in
        </Link>
      </p>
    </Entrance>
  )
}
