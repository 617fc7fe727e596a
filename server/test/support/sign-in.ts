import type { Page } from 'playwright-core'
import type { Login } from './coffer-client.ts'

/** Signs in to the dashboard at `url` through its form. */
export async function signIn(page: Page, url: string, { email, password }: Login): Promise<void> {
  await page.goto(`${url}/dashboard/sign-in`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page
    .getByRole('link', { name: 'Security' })
    .or(page.getByRole('button', { name: 'More' }))
    .first()
    .waitFor()
}

/** Types the password into the dialog that asks for it before money is sent. */
export async function confirmPassword(page: Page, { password }: Pick<Login, 'password'>): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await dialog.getByLabel('Password').fill(password)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.waitFor({ state: 'detached' })
}
