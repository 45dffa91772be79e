import type { OpenAPIObject, RequestBodyObject, SchemaObject } from '@nestjs/swagger';
import { KEYS_WRITE, type ScopeName } from '../../../src/auth/route-policies';
import { Extensions } from '../../../src/platform/extensions/extensions';
import { FORM_TYPES } from '../../../src/platform/http/input/request-body';
import type { TestAccount, TestApplication } from './application';
import { Document, type Operation } from './openapi';
import { createFailedMessage, DELIVERIES, FORMS, insertNotification, MESSAGES, NOTIFICATIONS } from '../areas/records';
import { hasId, type Route, routesOf } from './routes';

const HANDLER_PATHS = ['/api/notification-handler', '/api/notification-handlers'];

/** The routes that consumers were promised and that need a key. An application may have more. */
const PROMISED = [
  ...['GET', 'POST'].map((method) => `${method} /api/domains`),
  ...['GET', 'POST', 'DELETE'].map((method) => `${method} /api/domains/:domain_id`),
  ...HANDLER_PATHS.flatMap((path) => ['GET', 'POST'].map((method) => `${method} ${path}`)),
  ...HANDLER_PATHS.flatMap((path) => ['GET', 'POST', 'DELETE'].map((method) => `${method} ${path}/:notification_handler_id`)),
  'GET /api/notifications',
  'GET /api/notifications/:notification_id',
  'GET /scheduling',
];
/** Makes a record whose list takes no form, or which needs more than its own. */
const MAKERS: Record<string, (application: TestApplication, account: TestAccount) => Promise<number>> = {
  [NOTIFICATIONS]: async (application, account) => (await insertNotification(application, account.id)).id,
  [MESSAGES]: async (_, account) => (await createFailedMessage(account)).id,
  [DELIVERIES]: async (_, account) => (await createFailedMessage(account)).deliveryId,
};
const OPEN = ['GET /health/live', 'GET /health/ready'];

/**
 * What tests that go over all routes know of them. What they do to the promised ones they do to those that a team has
 * added, as far as these are made with the decorators of src/platform/http/routes.ts: others answer in ways of their own.
 */
export class RouteTable {
  private constructor(
    private readonly application: TestApplication,
    readonly document: Document,
  ) {}

  static async of(application: TestApplication): Promise<RouteTable> {
    const { body } = await application.client().get('/openapi.json').expect(200);
    const table = new RouteTable(application, new Document(body as OpenAPIObject));
    const closed = table.closed.map(nameOf);
    expect({ promisedAndMissingOrOpen: PROMISED.filter((name) => !closed.includes(name)) }).toEqual({ promisedAndMissingOrOpen: [] });
    return table;
  }

  /** Every route that needs a key. */
  get closed(): Route[] {
    return routesOf(this.application).filter((route) => this.scopesOf(route).length > 0);
  }

  /** Of these, the promised ones and those that are made alike. */
  get covered(): Route[] {
    return this.closed.filter((route) => this.covers(this.operationOf(route)!));
  }

  covers(operation: Operation): boolean {
    const route = routeOf(operation);
    return isPromised(route) || (isMadeAlike(operation) && (!hasId(route) || this.canCreate(resourceOf(route))));
  }

  /** None for a route that needs no key. */
  scopesOf(route: Route): ScopeName[] {
    return this.operationOf(route)?.['x-required-scopes'] ?? [];
  }

  /** A form that the route takes, or none. */
  formOf(route: Route): Record<string, string> {
    const operation = this.operationOf(route);
    if (!operation?.requestBody) return {};
    const ofRecord = isPart(route) ? undefined : this.formsOfAreas[resourceOf(route)];
    return ofRecord?.() ?? this.exampleOf(operation);
  }

  /** The required fields, or the first one, with the examples of their schemas. */
  private exampleOf({ requestBody }: Operation): Record<string, string> {
    const schema = (requestBody as RequestBodyObject | undefined)?.content['multipart/form-data'].schema;
    if (!schema) return {};
    const form = this.document.resolve<SchemaObject>(schema);
    const { properties = {}, required = Object.keys(properties).slice(0, 1) } = this.document.resolve<SchemaObject>(
      form.oneOf?.[0] ?? form,
    );
    return Object.fromEntries(required.map((name) => [name, String(((properties[name] as SchemaObject).examples as unknown[])[0])]));
  }

  private get formsOfAreas(): typeof FORMS {
    const { list } = this.application.app.get(Extensions);
    return Object.assign({}, FORMS, ...list.map(({ tests }) => tests?.forms)) as typeof FORMS;
  }

  /** A new record for the parameter of the route's path. */
  async newRecord(account: TestAccount, route: Route): Promise<number> {
    const path = resourceOf(route);
    if (path in MAKERS) return MAKERS[path](this.application, account);
    return account.client.create(path, this.formOf({ method: 'POST', path }));
  }

  private canCreate(path: string): boolean {
    if (path in MAKERS) return true;
    const operation = this.operationOf({ method: 'POST', path });
    return operation !== undefined && isMadeAlike(operation);
  }

  private operationOf(route: Route): Operation | undefined {
    return this.document.operations.find((operation) => nameOf(routeOf(operation)) === nameOf(route));
  }
}

export function routeOf({ method, path }: Operation): Route {
  return { method, path: path.replace(/\{(\w+)\}/g, ':$1') };
}

/** The path of the list that the record in the route's path belongs to. */
export function resourceOf({ path }: Route): string {
  return path.split('/:')[0];
}

/** Whether the path goes on after a record's id. */
function isPart({ path }: Route): boolean {
  return /\/:\w+\//.test(path);
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

export function isPromised(route: Route): boolean {
  return [...PROMISED, ...OPEN].includes(nameOf(route));
}

/** Asks for a scope, answers `{data …}`, and takes a form, if anything, in each of the three types. */
function isMadeAlike({ responses, requestBody, 'x-required-scopes': scopes }: Operation): boolean {
  const successes = Object.entries(responses).filter(([status]) => /^20[01]$/.test(status));
  const schemas = successes.map(([, response]) => (response as RequestBodyObject).content?.['application/json']?.schema as SchemaObject);
  const types = Object.keys((requestBody as RequestBodyObject | undefined)?.content ?? {});
  const isForm = requestBody === undefined || FORM_TYPES.every((type) => types.includes(type));
  const isForAnyKey = !scopes?.includes(KEYS_WRITE); // a test's key has all scopes but this one
  return scopes !== undefined && isForAnyKey && schemas.length === 1 && schemas[0]?.properties?.data !== undefined && isForm;
}
