// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Replaces the code of TestUsdt, keeps its storage, and misbehaves as its mode says.
contract HostileUsdt {
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    /// 0: honest. 1: answers false. 2: says nothing and moves nothing. 3: delivers a tenth less.
    uint256 public mode;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function setMode(uint256 to) external {
        mode = to;
    }

    /// Emits an event of a transfer that never happened.
    function pretend(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }

    function take(address from, uint256 value) external {
        balanceOf[from] -= value;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        if (mode == 1) return false;
        if (mode == 2) return true;
        uint256 delivered = mode == 3 ? value - value / 10 : value;
        require(balanceOf[msg.sender] >= value, "balance is too small");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += delivered;
        emit Transfer(msg.sender, to, delivered);
        return true;
    }
}
