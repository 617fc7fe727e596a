// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Answers false where others revert: the transaction succeeds, nothing moves and there is no event.
contract NoEventFalse {
    function transfer(address, uint256) external pure returns (bool) {
        return false;
    }

    function balanceOf(address) external pure returns (uint256) {
        return 0;
    }
}
