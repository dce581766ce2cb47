import { OPEN } from '../api/access.ts'
import { type Content, json, type Operation } from './operation.ts'

const PAGE: Content = {
  'text/html': { schema: { type: 'string', description: 'An HTML page.', examples: ['<!doctype html>...'] } },
}

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
        content: PAGE,
      },
    },
    errors: [],
  },
  {
    method: 'GET',
    path: '/',
    operationId: 'readDashboard',
    tag: 'Service',
    summary: 'The dashboard',
    description: 'A page that asks this API for what it shows, with the key of whoever looks at it.',
    access: OPEN,
    answers: { 200: { description: 'The page.', content: PAGE } },
    errors: [],
  },
  {
    method: 'GET',
    path: '/dashboard/{file}',
    operationId: 'readDashboardFile',
    tag: 'Service',
    summary: 'What the dashboard is made of',
    description: 'Scripts, a style sheet and an outline of the world: those that the page names.',
    access: OPEN,
    parameters: [
      {
        name: 'file',
        in: 'path',
        description: 'Name of the file.',
        schema: { type: 'string', examples: ['style.css'] },
      },
    ],
    answers: {
      200: {
        description: 'The file.',
        content: Object.fromEntries(
          ['text/javascript', 'text/css'].map((type) => [
            type,
            { schema: { type: 'string', description: 'Its text.', examples: ['...'] } },
          ]),
        ),
      },
    },
    errors: ['not-found'],
  },
]
