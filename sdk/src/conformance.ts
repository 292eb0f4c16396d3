import type { contract } from '@portico/contract'
import type * as claims from '@portico/contract/token-claims'
import type { z } from 'zod/v4'
import type { AccessTokenClaims, IdTokenClaims, Operations } from './generated.js'

/**
 * Compile-time check, never shipped: the generated types equal those of the contract. A type other than never names the
 * operations that differ; then the generator has a bug, or the generated files are stale.
 */
export type Conformance = [
  RunNpmRunGenerate<Exclude<keyof Routes, keyof Operations>>,
  RunNpmRunGenerate<Exclude<keyof Operations, keyof Routes>>,
  RunNpmRunGenerate<
    { [Name in keyof Routes]: Equal<Operations[Name]['output'], Output<Routes[Name]>, Name> }[keyof Routes]
  >,
  RunNpmRunGenerate<
    { [Name in keyof Routes]: Equal<Operations[Name]['code'], Code<Routes[Name]>, Name> }[keyof Routes]
  >,
  RunNpmRunGenerate<
    {
      [Name in keyof Routes]: Equal<
        keyof Operations[Name]['input'],
        InputName<Routes[Name], keyof Operations[Name]['input']>,
        Name
      >
    }[keyof Routes]
  >,
  RunNpmRunGenerate<
    { [Name in keyof Routes]: Fits<Operations[Name]['input'], Input<Routes[Name]>, Name> }[keyof Routes]
  >,
  RunNpmRunGenerate<Equal<AccessTokenClaims, claims.AccessTokenClaims, 'AccessTokenClaims'>>,
  RunNpmRunGenerate<Equal<IdTokenClaims, claims.IdTokenClaims, 'IdTokenClaims'>>,
]

type Contract = typeof contract

/** The routes by the names of their operations. */
type Routes = {
  [Resource in keyof Contract as RouteNames<Resource>]: never
} extends infer Names
  ? {
      [Name in keyof Names]: Name extends `${infer Resource}.${infer Verb}` ? RouteAt<Resource, Verb> : never
    }
  : never

type RouteNames<Resource extends keyof Contract> = `${Resource}.${keyof Contract[Resource] & string}`

type RouteAt<Resource extends string, Verb extends string> = Resource extends keyof Contract
  ? Verb extends keyof Contract[Resource]
    ? Contract[Resource][Verb]
    : never
  : never

type Answers<Route> = Route extends { responses: infer Responses } ? Responses : never

type SuccessStatus = 200 | 201 | 202 | 204

type Output<Route> = OutputOf<Answers<Route>[keyof Answers<Route> & SuccessStatus]>

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : never

type Refusal<Route> = OutputOf<Answers<Route>[Exclude<keyof Answers<Route>, SuccessStatus>]>

type Code<Route> =
  Refusal<Route> extends infer Body ? (Body extends { error: { code: infer C } } ? C : never) : never

type Part<Route, Name extends string> = Name extends keyof Route
  ? Route[Name] extends z.ZodType
    ? z.input<Route[Name]>
    : unknown
  : unknown

/** The input of the server: wider than the SDK's, because forms contain text only. */
type Input<Route> = Part<Route, 'pathParams'> & Part<Route, 'query'> & Part<Route, 'body'>

/** The type of a body behind z.preprocess() is unknown, so its members are not compared. */
type InputName<Route, Known> = Route extends { body: infer Body extends z.ZodType }
  ? unknown extends z.input<Body>
    ? Known
    : keyof Input<Route>
  : keyof Input<Route>

/** Never when the two types are identical, nested members included; else the name. */
type Equal<One, Other, Name> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? never : Name

/** Never when the first type is assignable to the second, else the name. */
type Fits<One, Other, Name> = [One] extends [Other] ? never : Name

type RunNpmRunGenerate<T extends never> = T
