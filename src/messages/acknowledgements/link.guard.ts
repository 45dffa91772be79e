import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AdmissionGuard } from '../../platform/quotas/admission.guard';
import { Acknowledgements, type LinkedDelivery } from './acknowledgements';

declare module 'express-serve-static-core' {
  interface Request {
    /** The delivery whose link is used; undefined for an invalid link. */
    linked?: LinkedDelivery;
  }
}

/** Admits and logs a link's request as its message's account. The route is public, so the global guards know no caller. */
@Injectable()
export class LinkGuard implements CanActivate {
  constructor(
    private readonly acknowledgements: Acknowledgements,
    private readonly admission: AdmissionGuard,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const request: Request = context.switchToHttp().getRequest();
    request.linked = await this.acknowledgements.find(String(request.params.token));
    if (request.linked) request.user = { accountId: request.linked.account_id, keyId: 0, scopes: new Set() };
    return this.admission.admit(context);
  }
}
