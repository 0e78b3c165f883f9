#pragma once
#include <semel/v1/schedule.grpc.pb.h>

#include "api/grpc/backend.hpp"

namespace semel::rpc {

class ScheduleService final : public v1::ScheduleService::CallbackService {
 public:
  explicit ScheduleService(Backend& backend) : backend_(backend) {}

  using Context = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;

  Reactor* PutSchedule(Context*, const v1::PutScheduleRequest*, v1::Schedule*) override;
  Reactor* GetSchedule(Context*, const v1::GetScheduleRequest*, v1::Schedule*) override;
  Reactor* ListSchedules(Context*, const v1::ListSchedulesRequest*, v1::ListSchedulesResponse*) override;
  Reactor* DeleteSchedule(Context*, const v1::DeleteScheduleRequest*, v1::DeleteScheduleResponse*) override;
  Reactor* PauseSchedule(Context*, const v1::PauseScheduleRequest*, v1::Schedule*) override;
  Reactor* ResumeSchedule(Context*, const v1::ResumeScheduleRequest*, v1::Schedule*) override;
  Reactor* RunSchedule(Context*, const v1::RunScheduleRequest*, v1::Firing*) override;

 private:
  Backend& backend_;
};

}  // namespace semel::rpc
