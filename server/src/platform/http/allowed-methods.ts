import type { Route } from './route.ts'

/**
 * Returns a function that lists the methods of a path, for the `Allow` header. The list of an unknown path is
 * empty.
 */
export function allowedMethods(routes: readonly Route[]): (path: string) => readonly string[] {
  const patterns = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  for (const { path, method, crossOrigin } of routes) {
    const known = patterns.get(path) ?? { pattern: patternOf(path), methods: new Set<string>() }
    known.methods.add(method)
    if (method === 'GET') known.methods.add('HEAD')
    if (crossOrigin) known.methods.add('OPTIONS')
    patterns.set(path, known)
  }
  return (path) => {
    const methods = new Set<string>()
    for (const known of patterns.values()) {
      if (known.pattern.test(path)) for (const method of known.methods) methods.add(method)
    }
    return [...methods].sort()
  }
}

function patternOf(path: string): RegExp {
  const steps = path
    .split('/')
    .map((step) => (step.startsWith(':') ? '[^/]+' : step.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  return new RegExp(`^${steps.join('/')}/?$`)
}
