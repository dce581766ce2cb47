import { OPEN } from '../access.ts'
import { json, type Operation } from './operation.ts'

export const REFERENCE_OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/openapi.json',
    operationId: 'readOpenApi',
    tag: 'Service',
    summary: 'This description, for programs',
    description: 'The OpenAPI 3.1 document of this API, from which clients can be generated.',
    access: OPEN,
    answers: {
      200: {
        description: 'The document.',
        content: json({
          type: 'object',
          description: 'An OpenAPI 3.1 document.',
          additionalProperties: {},
          examples: [{ openapi: '3.1.0', info: { title: 'cooler-reports', version: '1' }, paths: {} }],
        }),
      },
    },
    errors: [],
  },
  {
    method: 'GET',
    path: '/docs',
    operationId: 'readDocs',
    tag: 'Service',
    summary: 'This description, for people',
    description: 'The same document as a page, without scripts and without anything from elsewhere.',
    access: OPEN,
    answers: {
      200: {
        description: 'The page.',
        content: {
          'text/html': {
            schema: { type: 'string', description: 'An HTML page.', examples: ['<!doctype html>...'] },
          },
        },
      },
    },
    errors: [],
  },
]
